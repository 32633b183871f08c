use std::path::Path;

use talaria_types::Secret;

use super::{RawSecret, expand};
use crate::environment::Environment;
use crate::error::Error;

fn value(raw: &RawSecret) -> Result<Secret, Error> {
    let environment = Environment::of([("KEY", " from-env\n"), ("BLANK", " ")]);
    raw.value(&environment, Path::new("/nowhere"))
}

#[test]
fn a_variable_has_to_be_there_and_say_something() {
    let of = |name: &str| value(&RawSecret::Variable(name.to_owned()));
    assert_eq!(of("KEY"), Ok(Secret::new("from-env")));
    assert_eq!(
        of("NOPE"),
        Err(Error::VariableUnset {
            name: "NOPE".to_owned()
        })
    );
    assert_eq!(
        of("BLANK"),
        Err(Error::VariableBlank {
            name: "BLANK".to_owned()
        })
    );
}

#[test]
fn a_file_is_a_line() {
    let folder = tempfile::tempdir().expect("folder");
    let of = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).expect("written");
        (
            path.clone(),
            value(&RawSecret::File(path.display().to_string())),
        )
    };
    assert_eq!(of("good", b"abc-DEF\r\n").1, Ok(Secret::new("abc-DEF")));
    let (path, empty) = of("empty", b" \n");
    assert_eq!(empty, Err(Error::SecretFileEmpty { path }));
    assert!(matches!(
        of("binary", &[0xff, 0xfe]).1,
        Err(Error::SecretFile { .. })
    ));
    assert!(matches!(
        of("large", &vec![b'x'; 70_000]).1,
        Err(Error::SecretFile { .. })
    ));
    assert_eq!(of("two lines", b"abc\ndef").1, Err(Error::SecretCharacters));
    let missing = value(&RawSecret::File("missing".to_owned()));
    let Err(Error::SecretFile { path, .. }) = missing else {
        panic!("{missing:?}")
    };
    assert_eq!(path, Path::new("/nowhere/missing"));
}

#[test]
fn a_plain_one_is_text() {
    let of = |text: &str| value(&RawSecret::Plain(Secret::new(text)));
    assert_eq!(of("k-1"), Ok(Secret::new("k-1")));
    assert_eq!(of("  "), Err(Error::Empty));
    assert_eq!(of("k 1"), Err(Error::SecretCharacters));
    assert_eq!(of("schlüssel"), Err(Error::SecretCharacters));
}

#[test]
fn what_is_read_is_scrubbed_from_then_on() {
    let secret = "quite-unusual-shape";
    assert!(value(&RawSecret::Plain(Secret::new(secret))).is_ok());
    let text = talaria_types::secret::scrub(&format!("GET /{secret}/x"));
    assert!(!text.contains(secret), "{text}");
}

#[test]
fn paths_begin_at_the_files_folder_or_at_home() {
    let home = Environment::of([("HOME", "/h")]);
    let none = Environment::of::<&str, &str>([]);
    let folder = Path::new("/etc/talaria");
    assert_eq!(expand("x", &none, folder), Ok("/etc/talaria/x".into()));
    assert_eq!(expand("/x", &none, folder), Ok("/x".into()));
    assert_eq!(expand("~/x", &home, folder), Ok("/h/x".into()));
    assert_eq!(expand("~x", &home, folder), Ok("/etc/talaria/~x".into()));
    assert_eq!(expand("~/x", &none, folder), Err(Error::NoHome));
    assert_eq!(expand(" ", &none, folder), Err(Error::Empty));
}
