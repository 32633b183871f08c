use super::{Environment, Variable};

#[test]
fn a_map_answers_for_its_own_variables_alone() {
    let environment = Environment::of([("A", "1"), ("B", "  ")]);
    assert_eq!(environment.get("A"), Variable::Value("1".to_owned()));
    assert_eq!(environment.get("B"), Variable::Blank);
    assert_eq!(environment.get("PATH"), Variable::Unset);
    assert_eq!(environment.text("B"), None);
}

#[test]
fn the_process_is_asked_and_no_name_panics() {
    let environment = Environment::process();
    assert!(matches!(environment.get("PATH"), Variable::Value(_)));
    for name in ["", "A=B", "A\0B", "TALARIA_SURELY_NOT_SET"] {
        assert_eq!(environment.get(name), Variable::Unset, "{name:?}");
    }
}

#[test]
fn a_test_names_its_crash_point() {
    let named = Environment::of([("TALARIA_CRASH_AT", "commit:accept:before#2")]);
    assert_eq!(named.crash_at().as_deref(), Some("commit:accept:before#2"));
    let traced = Environment::of([("TALARIA_CRASH_TRACE", "/tmp/points")]);
    assert_eq!(traced.crash_trace().as_deref(), Some("/tmp/points"));
    let none = Environment::of::<&str, &str>([]);
    assert_eq!((none.crash_at(), none.crash_trace()), (None, None));
}
