//! A call's arguments, whatever way they came: query string, form, JSON or multipart (Bot API:
//! "Making requests"). In forms, structured arguments are JSON text.

use std::collections::BTreeMap;

use axum::body::Body;
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::header;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::answer::ApiError;

/// Uploads end at 50 MB (Bot API: "Sending files").
pub(crate) const MAX_BODY_BYTES: usize = 52 * 1024 * 1024;

/// The arguments of one call.
#[derive(Debug, Clone, Default)]
pub(crate) struct Params(BTreeMap<String, Value>);

impl Params {
    /// Reads query and body; the body wins.
    pub(crate) async fn read(request: Request<Body>) -> Result<Self, ApiError> {
        let mut params = Self::default();
        if let Some(query) = request.uri().query() {
            params.form(query.as_bytes());
        }
        let kind = request.headers().get(header::CONTENT_TYPE);
        let kind = kind
            .and_then(|kind| kind.to_str().ok())
            .unwrap_or_default()
            .to_lowercase();
        if kind.starts_with("multipart/form-data") {
            return params.multipart(request).await;
        }
        let body = axum::body::to_bytes(request.into_body(), MAX_BODY_BYTES).await;
        let body = body.map_err(|_| ApiError::new(413, "Request Entity Too Large"))?;
        if kind.starts_with("application/json") {
            params.json(&body)?;
        } else if kind.starts_with("application/x-www-form-urlencoded") {
            params.form(&body);
        }
        Ok(params)
    }

    fn form(&mut self, bytes: &[u8]) {
        for (key, value) in url::form_urlencoded::parse(bytes) {
            self.0
                .insert(key.into_owned(), Value::String(value.into_owned()));
        }
    }

    fn json(&mut self, body: &[u8]) -> Result<(), ApiError> {
        if body.is_empty() {
            return Ok(());
        }
        match serde_json::from_slice(body) {
            Ok(Value::Object(fields)) => {
                self.0
                    .extend(fields.into_iter().filter(|(_, value)| !value.is_null()));
                Ok(())
            }
            Ok(_) | Err(_) => Err(ApiError::bad(
                "can't parse request: Can't parse JSON object",
            )),
        }
    }

    async fn multipart(mut self, request: Request<Body>) -> Result<Self, ApiError> {
        let broken = || ApiError::bad("can't parse multipart/form-data request");
        let mut form = Multipart::from_request(request, &())
            .await
            .map_err(|_| broken())?;
        while let Some(field) = form.next_field().await.map_err(|_| broken())? {
            let Some(name) = field.name().map(str::to_owned) else {
                continue;
            };
            let file = field.file_name().map(str::to_owned);
            let bytes = field.bytes().await.map_err(|_| broken())?;
            let value = match file {
                Some(file_name) => json!({"file_name": file_name, "size": bytes.len()}),
                None => Value::String(String::from_utf8_lossy(&bytes).into_owned()),
            };
            self.0.insert(name, value);
        }
        Ok(self)
    }

    /// Everything, for the call log.
    pub(crate) fn to_value(&self) -> Value {
        Value::Object(self.0.clone().into_iter().collect())
    }

    /// A string; numbers and booleans are accepted as their text, as the server does.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        match self.0.get(name)? {
            Value::String(text) => Some(text.clone()),
            other @ (Value::Number(_) | Value::Bool(_)) => Some(other.to_string()),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// An integer, also as text.
    pub(crate) fn int(&self, name: &str) -> Option<i64> {
        match self.0.get(name)? {
            Value::Number(number) => number.as_i64(),
            Value::String(text) => text.trim().parse().ok(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// True for `true`, `1`, `yes`, `y` and `t` (server source: to_bool).
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.text(name).is_some_and(|text| {
            matches!(
                text.trim().to_lowercase().as_str(),
                "true" | "1" | "yes" | "y" | "t"
            )
        })
    }

    /// A structured argument; `Ok(None)` if absent or empty, `Err` if it can't be read as `T`.
    pub(crate) fn object<T: DeserializeOwned>(
        &self,
        name: &str,
    ) -> Result<Option<T>, serde_json::Error> {
        match self.0.get(name) {
            None => Ok(None),
            Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
            Some(Value::String(text)) => serde_json::from_str(text).map(Some),
            Some(value) => serde_json::from_value(value.clone()).map(Some),
        }
    }

    /// The chat id, if it is a number.
    pub(crate) fn chat_id(&self) -> Option<i64> {
        self.int("chat_id")
    }
}
