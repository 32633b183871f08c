use super::{Hosts, same, split};

#[test]
fn only_this_machines_names_with_our_port_pass_on_loopback() {
    let hosts = Hosts::new("127.0.0.1:8790".parse().unwrap());
    for good in [
        "127.0.0.1:8790",
        "localhost:8790",
        "LOCALHOST:8790",
        "[::1]:8790",
    ] {
        assert!(hosts.allow(good), "{good}");
    }
    for bad in [
        "",
        "evil.example:8790",
        "localhost.evil.example:8790",
        "127.0.0.1",
        "127.0.0.1:80",
        "10.0.0.1:8790",
        "[::1]",
        "127.0.0.1:8790:8790",
    ] {
        assert!(!hosts.allow(bad), "{bad}");
    }
}

#[test]
fn elsewhere_literal_addresses_pass_and_names_do_not() {
    let hosts = Hosts::new("0.0.0.0:8790".parse().unwrap());
    assert!(hosts.allow("192.168.1.7:9000"));
    assert!(hosts.allow("localhost:9000"));
    assert!(!hosts.allow("evil.example:8790"));
}

#[test]
fn a_host_is_split_at_its_port() {
    assert_eq!(split("localhost:1"), ("localhost", Some("1")));
    assert_eq!(split("[::1]:1"), ("[::1]", Some("1")));
    assert_eq!(split("[::1]"), ("[::1]", None));
    assert_eq!(split("localhost"), ("localhost", None));
}

#[test]
fn tokens_are_compared_whole() {
    assert!(same(b"abc", b"abc"));
    assert!(!same(b"abc", b"abd"));
    assert!(!same(b"abc", b"ab"));
}
