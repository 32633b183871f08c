use super::is_local;

#[test]
fn only_addresses_of_this_machine_are_local() {
    for (url, want) in [
        ("http://127.0.0.1:8080/v1", true),
        ("http://localhost", true),
        ("http://[::1]:1/", true),
        ("http://models.localhost/", true),
        ("https://api.anthropic.com/", false),
        ("http://10.0.0.1/", false),
        ("http://notlocalhost/", false),
    ] {
        assert_eq!(is_local(&url.parse().unwrap()), want, "{url}");
    }
}
