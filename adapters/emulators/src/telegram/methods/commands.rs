//! Bot API: setMyCommands, getMyCommands, deleteMyCommands. Commands are kept per scope and
//! language.

use serde_json::{Value, json};

use super::Call;
use crate::telegram::answer::{Answer, ApiError};

/// Bot API: setMyCommands, "At most 100 commands".
const MAX_COMMANDS: usize = 100;

/// Replaces the list of a scope.
pub(super) fn set_my_commands(call: &mut Call<'_>) -> Answer {
    let commands: Option<Vec<Value>> = call
        .params
        .object("commands")
        .map_err(|_| ApiError::bad("can't parse commands JSON array"))?;
    let commands = commands.ok_or_else(|| ApiError::bad("can't parse commands: expected Array"))?;
    if commands.len() > MAX_COMMANDS {
        return Err(ApiError::bad("BOT_COMMANDS_TOO_MUCH"));
    }
    for command in &commands {
        check(command)?;
    }
    let key = key(call)?;
    if let Some(bot) = call.state.bots.get_mut(&call.bot) {
        bot.commands.insert(key, Value::Array(commands));
    }
    Ok(json!(true))
}

/// Bot API: BotCommand: name 1-32 of `[a-z0-9_]`, description 1-256.
fn check(command: &Value) -> Result<(), ApiError> {
    let field = |name: &str| {
        command
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let name = field("command").trim_start_matches('/');
    let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.is_empty() || name.len() > 32 || !name.chars().all(legal) {
        return Err(ApiError::bad("BOT_COMMAND_INVALID"));
    }
    if !(1..=256).contains(&field("description").chars().count()) {
        return Err(ApiError::bad("BOT_COMMAND_DESCRIPTION_INVALID"));
    }
    Ok(())
}

/// The list of a scope; empty if none was set.
pub(super) fn get_my_commands(call: &mut Call<'_>) -> Answer {
    let key = key(call)?;
    Ok(call
        .bot()?
        .commands
        .get(&key)
        .cloned()
        .unwrap_or_else(|| json!([])))
}

/// Forgets the list of a scope.
pub(super) fn delete_my_commands(call: &mut Call<'_>) -> Answer {
    let key = key(call)?;
    if let Some(bot) = call.state.bots.get_mut(&call.bot) {
        bot.commands.remove(&key);
    }
    Ok(json!(true))
}

fn key(call: &Call<'_>) -> Result<String, ApiError> {
    let scope: Option<Value> = call
        .params
        .object("scope")
        .map_err(|_| ApiError::bad("can't parse BotCommandScope: expected Object"))?;
    let scope = scope.unwrap_or_else(|| json!({"type": "default"}));
    let language = call.params.text("language_code").unwrap_or_default();
    Ok(format!("{scope} {language}"))
}
