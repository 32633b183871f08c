//! Who may ask: only this machine's own pages, and for changes only ours.
//!
//! Any web page in the same browser can send requests to 127.0.0.1. The Host check stops a foreign
//! name that was pointed at this address (DNS rebinding); the origin check and the token stop
//! requests that a foreign page sends blindly.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::App;

/// The header that carries the page's token.
pub(crate) const TOKEN_HEADER: &str = "x-playground-token";

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
     require-trusted-types-for 'script'; trusted-types 'none'";

/// Which Host headers are ours.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hosts {
    address: SocketAddr,
}

impl Hosts {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self { address }
    }

    /// Never a foreign name: rebinding needs one. On loopback also the port and the address must be
    /// ours; elsewhere a port may be forwarded, so any literal address passes.
    fn allow(&self, host: &str) -> bool {
        let (name, port) = split(host);
        let literal = name.trim_matches(['[', ']']).parse::<IpAddr>().ok();
        let local = name.eq_ignore_ascii_case("localhost");
        if !self.address.ip().is_loopback() {
            return local || literal.is_some();
        }
        let ours = local || literal.is_some_and(|ip| ip.is_loopback());
        ours && port.unwrap_or("80") == self.address.port().to_string()
    }
}

/// Host and port of a Host header, with IPv6 in brackets.
fn split(host: &str) -> (&str, Option<&str>) {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => (name, Some(port)),
        Some(_) | None => (host, None),
    }
}

/// Checks a request and adds the security headers to its answer.
pub(crate) async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let mut response = match check(&app, request.method(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(why) => (StatusCode::FORBIDDEN, why).into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (
            header::HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
        (
            header::HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

fn check(app: &App, method: &Method, headers: &HeaderMap) -> Result<(), &'static str> {
    let text = |name: &str| {
        headers
            .get(name)
            .map(|value| value.to_str().unwrap_or_default())
    };
    let host = text("host").unwrap_or_default();
    if !app.hosts.allow(host) {
        return Err("open the playground under the address that it printed\n");
    }
    if method == Method::GET || method == Method::HEAD {
        return Ok(());
    }
    // A browser always names the origin of such a request; a program that does not is no browser.
    if text("origin").is_some_and(|origin| origin != format!("http://{host}")) {
        return Err("another page may not do this\n");
    }
    if text("sec-fetch-site").is_some_and(|site| site != "same-origin") {
        return Err("another page may not do this\n");
    }
    if !text(TOKEN_HEADER).is_some_and(|given| same(given.as_bytes(), app.token.as_bytes())) {
        return Err("the token is missing or from an earlier start: load the page again\n");
    }
    Ok(())
}

/// Equality that takes as long whatever the difference.
fn same(left: &[u8], right: &[u8]) -> bool {
    left.len() == right.len()
        && left
            .iter()
            .zip(right)
            .fold(0u8, |found, (a, b)| found | (a ^ b))
            == 0
}

#[cfg(test)]
mod tests;
