//! Bot API: InlineKeyboardMarkup and the other reply markups.

use serde_json::Value;

use super::Call;
use crate::telegram::answer::ApiError;

/// Bot API: InlineKeyboardButton, "1-64 bytes".
const MAX_DATA_BYTES: usize = 64;
/// Buttons in one keyboard (server: "reply markup is too long").
const MAX_BUTTONS: usize = 100;

/// The inline keyboard of a call; `None` if there is none or it has no buttons. Other kinds of
/// markup are accepted where `other` says so and are not kept: they belong to the user's client.
pub(super) fn inline_keyboard(call: &Call<'_>, other: bool) -> Result<Option<Value>, ApiError> {
    let markup: Option<Value> = call
        .params
        .object("reply_markup")
        .map_err(|_| ApiError::bad("can't parse reply keyboard markup JSON object"))?;
    let Some(markup) = markup else {
        return Ok(None);
    };
    let Some(fields) = markup.as_object() else {
        return Err(ApiError::bad("object expected as reply markup"));
    };
    let Some(rows) = fields.get("inline_keyboard") else {
        return if other || fields.is_empty() {
            Ok(None)
        } else {
            Err(ApiError::bad("inline keyboard expected"))
        };
    };
    let rows = rows.as_array().ok_or_else(|| {
        ApiError::bad(
            "can't parse inline keyboard: field \"inline_keyboard\" must be of type Array",
        )
    })?;
    let mut buttons = 0;
    for row in rows {
        let row = row.as_array().ok_or_else(|| {
            ApiError::bad("can't parse inline keyboard: expected an Array of Array of buttons")
        })?;
        for button in row {
            check_button(button)?;
            buttons += 1;
        }
    }
    if buttons > MAX_BUTTONS {
        return Err(ApiError::bad("reply markup is too long"));
    }
    Ok((buttons > 0).then_some(markup))
}

fn check_button(button: &Value) -> Result<(), ApiError> {
    let text = button
        .get("text")
        .and_then(Value::as_str)
        .unwrap_or_default();
    if text.is_empty() {
        return Err(ApiError::bad(
            "can't parse inline keyboard button: InlineKeyboardButton must have a text",
        ));
    }
    match button.get("callback_data") {
        Some(Value::String(data)) if (1..=MAX_DATA_BYTES).contains(&data.len()) => Ok(()),
        Some(_) => Err(ApiError::bad("BUTTON_DATA_INVALID")),
        None if [
            "url",
            "web_app",
            "copy_text",
            "switch_inline_query",
            "login_url",
        ]
        .iter()
        .any(|key| button.get(key).is_some()) =>
        {
            Ok(())
        }
        None => Err(ApiError::bad(
            "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
        )),
    }
}
