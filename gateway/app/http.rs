//! /healthz, /readyz and /metrics: read-only, the Host header checked, no bodies, no user ids.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock, RwLock};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::json;
use talaria_runtime::gateway::Shared;
use talaria_runtime::health::Link;
use tracing::{error, info};

use crate::exit::{Failure, OTHER};

/// What the endpoints tell of: the gateway, once there is one.
#[derive(Default)]
pub(crate) struct Status {
    pub gateway: OnceLock<Arc<Shared>>,
    /// Why there is none yet.
    pub waiting: RwLock<Option<String>>,
}

impl Status {
    pub(crate) fn wait_for(&self, reason: &str) {
        if let Ok(mut waiting) = self.waiting.write() {
            *waiting = Some(reason.to_owned());
        }
    }

    fn waiting(&self) -> Option<String> {
        self.waiting.read().ok().and_then(|waiting| waiting.clone())
    }
}

/// Serves until the process ends.
pub(crate) async fn serve(listen: SocketAddr, status: Arc<Status>) -> Result<(), Failure> {
    let listener = tokio::net::TcpListener::bind(listen)
        .await
        .map_err(|error| {
            Failure::new(
                OTHER,
                format!("gateway.listen = \"{listen}\": {error}. Choose another port, or \"off\"."),
            )
        })?;
    if let Ok(address) = listener.local_addr() {
        info!(http.address = %address, "serving /healthz, /readyz and /metrics");
    }
    let app = Router::new()
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics))
        .layer(middleware::from_fn(check_host))
        .with_state(status);
    talaria_runtime::supervise::spawn("http", async move {
        if let Err(error) = axum::serve(listener, app).await {
            error!(error = %error, "the health endpoint stopped");
        }
    });
    Ok(())
}

/// A page of another site could reach this port through a name that it makes point here; it can't
/// choose what the browser writes into Host, so names other than localhost are refused.
async fn check_host(request: Request<Body>, next: Next) -> Response {
    let host = request
        .headers()
        .get(header::HOST)
        .and_then(|host| host.to_str().ok())
        .unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, port)| {
        if port.chars().all(|c| c.is_ascii_digit()) {
            name
        } else {
            host
        }
    });
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    if bare.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok() {
        next.run(request).await
    } else {
        (StatusCode::FORBIDDEN, "unknown host\n").into_response()
    }
}

async fn healthz(State(status): State<Arc<Status>>) -> Response {
    let Some(shared) = status.gateway.get() else {
        let body = json!({ "status": "waiting", "reason": status.waiting() });
        return (StatusCode::SERVICE_UNAVAILABLE, axum::Json(body)).into_response();
    };
    let failed = shared.ledger.failure().borrow().clone();
    let links = shared.health.links();
    let healthy = failed.is_none() && links.iter().all(|link| link.up);
    // A link that is down shows here; only what a restart of the process can help is an error,
    // or a supervisor would restart the gateway because a provider is down.
    let code = if failed.is_none() {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    let body = json!({
        "status": if healthy { "ok" } else { "degraded" },
        "ledger_failure": failed,
        "links": links,
        "uptime_ms": shared.clock.now().mono.0 / 1000,
    });
    (code, axum::Json(body)).into_response()
}

async fn readyz(State(status): State<Arc<Status>>) -> Response {
    let ready = status
        .gateway
        .get()
        .is_some_and(|shared| shared.health.ready());
    if ready {
        (StatusCode::OK, "ready\n").into_response()
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "not ready\n").into_response()
    }
}

/// Prometheus text format.
async fn metrics(State(status): State<Arc<Status>>) -> Response {
    let mut text = String::new();
    if let Some(shared) = status.gateway.get() {
        for (name, value) in shared.health.counters.values() {
            text.push_str(&format!(
                "# TYPE talaria_{name}_total counter\ntalaria_{name}_total {value}\n"
            ));
        }
        text.push_str("# TYPE talaria_link_up gauge\n");
        for link in shared.health.links() {
            let (name, account) = match &link.link {
                Link::PlatformIn(account) => ("platform_in", account.as_str()),
                Link::PlatformOut(account) => ("platform_out", account.as_str()),
                Link::Model => ("model", ""),
                Link::Ledger => ("ledger", ""),
            };
            let up = u8::from(link.up);
            text.push_str(&format!(
                "talaria_link_up{{link=\"{name}\",account=\"{account}\"}} {up}\n"
            ));
        }
        text.push_str(&format!(
            "# TYPE talaria_conversations_active gauge\ntalaria_conversations_active {}\n",
            shared.router.active()
        ));
    }
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
}
