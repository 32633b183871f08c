//! What users do and see.

use std::time::Duration;

use talaria_emulators::telegram::MessageView;

use crate::rig::Rig;

/// How a message begins that may be a repeat: the long and the short label.
pub const LABELS: [&str; 2] = ["(This may be a repeat.)\n", "(🔁?)\n"];

impl Rig {
    /// The user writes to the bot; returns the message's id.
    ///
    /// # Panics
    /// For an unknown user.
    pub fn says(&self, user: i64, text: &str) -> i64 {
        self.telegram().user_text(user, text).expect("a user")
    }

    /// The bot's messages on the user's screen that are newer than a message, in order.
    ///
    /// # Panics
    /// For an unknown user.
    #[must_use]
    pub fn shown_after(&self, user: i64, message: i64) -> Vec<MessageView> {
        let chat = self.telegram().chat(user).expect("a user");
        chat.from_bot()
            .filter(|shown| shown.id > message)
            .cloned()
            .collect()
    }

    /// The texts of [`Rig::shown_after`].
    #[must_use]
    pub fn texts_after(&self, user: i64, message: i64) -> Vec<String> {
        self.shown_after(user, message)
            .into_iter()
            .map(|shown| shown.text)
            .collect()
    }

    /// Waits until the screen shows, after a message, exactly what this Markdown reads like.
    /// Returns the parts.
    ///
    /// # Panics
    /// If it does not within `limit`.
    pub async fn answer(
        &self,
        user: i64,
        message: i64,
        markdown: &str,
        limit: Duration,
    ) -> Vec<MessageView> {
        let mut last = None;
        let found = self
            .telegram()
            .wait_for(limit, |_| {
                let shown = self.shown_after(user, message);
                let texts: Vec<String> = shown.iter().map(|part| part.text.clone()).collect();
                match talaria_oracle::equal(markdown, &texts) {
                    Ok(()) if !texts.is_empty() => Some(shown),
                    Ok(()) => None,
                    Err(difference) => {
                        last = Some(difference);
                        None
                    }
                }
            })
            .await;
        found.unwrap_or_else(|| {
            panic!(
                "no such answer within {limit:?}: {last:?}\nshown: {:?}\n{}",
                self.texts_after(user, message),
                self.log_text()
            )
        })
    }

    /// Waits until a message of the bot after `message` contains this text; returns it.
    ///
    /// # Panics
    /// If none does within `limit`.
    pub async fn reads(&self, user: i64, message: i64, text: &str, limit: Duration) -> MessageView {
        let found = self
            .telegram()
            .wait_for(limit, |_| {
                let mut shown = self.shown_after(user, message).into_iter();
                shown.find(|part| part.text.contains(text))
            })
            .await;
        found.unwrap_or_else(|| {
            panic!(
                "{text:?} is not read within {limit:?}; shown: {:?}\n{}",
                self.texts_after(user, message),
                self.log_text()
            )
        })
    }
}

/// The text without its label, and whether it had one.
#[must_use]
pub fn without_label(text: &str) -> (&str, bool) {
    LABELS
        .iter()
        .find_map(|label| text.strip_prefix(label))
        .map_or((text, false), |rest| (rest, true))
}
