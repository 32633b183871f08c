//! Which link targets Telegram shows as links.

/// A target that `text_link` takes. `tg://user` is none: it would become a mention. `mailto:` is
/// none either (the platform reads it as a host name), nor is a host without a dot: the platform
/// drops such an entity, and the target with it.
pub(super) fn is_linkable(url: &str) -> bool {
    let Some((scheme, rest)) = url.split_once("://") else {
        return false;
    };
    if url.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return false;
    }
    match scheme.to_ascii_lowercase().as_str() {
        "http" | "https" => {
            let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
            let host = authority.rsplit('@').next().unwrap_or_default();
            host.starts_with('[') || host.trim_matches('.').contains('.')
        }
        "tg" => !rest.to_ascii_lowercase().starts_with("user"),
        _ => false,
    }
}

/// How a target reads that is shown as text.
pub(super) fn shown_target(url: &str) -> &str {
    url.strip_prefix("mailto:").unwrap_or(url)
}
