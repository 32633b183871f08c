//! Faults, limits, time, and what happens to updates.

use std::time::Duration;

use serde_json::Value;

use super::TelegramControl;
use crate::telegram::limits::Limits;
use crate::telegram::state::{UpdateFault, day_later};
use crate::{Error, FaultSpec};

impl TelegramControl {
    /// Adds a fault; faults are tried in the order in which they were added.
    pub fn fault(&self, fault: FaultSpec) {
        self.shared.change(|state, _| state.faults.push(fault));
    }

    /// Removes all faults of calls and of updates that have not happened; updates that wait for a
    /// reordering are delivered.
    pub fn clear_faults(&self) {
        self.shared.change(|state, _| {
            state.faults.clear();
            for bot in state.bots.values_mut() {
                bot.queue.clear_faults();
            }
        });
    }

    /// The faults that are still to come.
    #[must_use]
    pub fn faults(&self) -> Vec<FaultSpec> {
        self.shared.look(|state, _| state.faults.clone())
    }

    /// Changes the rate limits; the buckets keep what they hold.
    pub fn set_limits(&self, limits: Limits) {
        self.shared.change(|state, _| state.limits = limits);
    }

    /// Moves the emulator's clock forward: retention, message age, drafts, typing, limits.
    pub fn advance(&self, by: Duration) {
        self.shared.clock.advance(by);
        self.shared.change(|_, _| ());
    }

    /// Puts an update into the bot's queue as it is; one without `update_id` gets the next.
    /// `allowed_updates` and update faults do not apply. Returns its id.
    ///
    /// # Errors
    /// Unknown bot; [`Error::NotAnUpdate`] if it is no object.
    pub fn inject_update(&self, update: Value) -> Result<i64, Error> {
        if !update.is_object() {
            return Err(Error::NotAnUpdate);
        }
        self.shared.change(|state, now| {
            let id = self.bot_id(state)?;
            let bot = state
                .bots
                .get_mut(&id)
                .ok_or_else(|| Error::NoSuchBot(id.to_string()))?;
            Ok(bot.queue.inject(update, day_later(now)))
        })
    }

    /// Adds a fault for the bot's coming updates.
    ///
    /// # Errors
    /// Unknown bot.
    pub fn update_fault(&self, fault: UpdateFault) -> Result<(), Error> {
        self.shared.change(|state, _| {
            let id = self.bot_id(state)?;
            if let Some(bot) = state.bots.get_mut(&id) {
                bot.queue.faults.push_back(fault);
            }
            Ok(())
        })
    }

    /// Holds back new updates until [`TelegramControl::release_updates`].
    ///
    /// # Errors
    /// Unknown bot.
    pub fn withhold_updates(&self) -> Result<(), Error> {
        self.shared.change(|state, _| {
            let id = self.bot_id(state)?;
            if let Some(bot) = state.bots.get_mut(&id) {
                bot.queue.withhold();
            }
            Ok(())
        })
    }

    /// Delivers what was held back, in order.
    ///
    /// # Errors
    /// Unknown bot.
    pub fn release_updates(&self) -> Result<(), Error> {
        self.shared.change(|state, _| {
            let id = self.bot_id(state)?;
            if let Some(bot) = state.bots.get_mut(&id) {
                bot.queue.release();
            }
            Ok(())
        })
    }

    /// Cuts every open connection, once.
    pub fn cut_connections(&self) {
        self.connections.cut_all();
    }

    /// While down, every connection is closed as soon as it is accepted.
    pub fn set_down(&self, down: bool) {
        self.connections.set_down(down);
    }
}
