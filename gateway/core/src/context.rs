//! What the machines are told at each input: the time, the place's capabilities, the renderer, who
//! has access, the settings. All pure.

use std::time::Duration;

use talaria_types::model::{ToolClass, ToolSpec};
use talaria_types::{Capabilities, Now, Place, Renderer, UserId};

/// The surroundings of one input.
pub struct Context<'a> {
    pub now: Now,
    pub capabilities: &'a Capabilities,
    pub renderer: &'a dyn Renderer,
    pub access: &'a dyn Access,
    pub tools: &'a dyn ToolTable,
    pub settings: &'a Settings,
}

/// P12: who may reach the agent. Asked at the door, and again at the start of a turn.
pub trait Access {
    fn allowed(&self, place: &Place, user: &UserId) -> bool;
}

/// What the turn machine needs to know of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolTraits {
    pub class: ToolClass,
    /// It may run beside others.
    pub concurrent: bool,
}

impl ToolTraits {
    /// What is assumed of a tool that nobody knows.
    pub const CAREFUL: Self = Self {
        class: ToolClass::Effect,
        concurrent: false,
    };
}

pub trait ToolTable {
    fn traits_of(&self, name: &str) -> ToolTraits;
}

/// The same for every conversation of an agent.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What `/status` calls the model.
    pub model: String,
    pub system_prompt: String,
    pub tools: Vec<ToolSpec>,
    pub max_tokens: u32,
    /// Model requests that one turn may make before it is given up.
    pub max_steps: u32,
    /// How often a request that failed for a passing reason is made again.
    pub max_retries: u32,
    /// Inbounds and posts older than this are expired, and it is said.
    pub max_age: Duration,
    /// H: how long a call whose connection broke may still take effect.
    pub horizon: Duration,
    /// When a platform call counts as lost in the living process.
    pub call_deadline: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            model: String::new(),
            system_prompt: String::new(),
            tools: Vec::new(),
            max_tokens: 8192,
            max_steps: 32,
            max_retries: 3,
            max_age: Duration::from_secs(24 * 3600),
            horizon: Duration::from_secs(10),
            call_deadline: Duration::from_secs(45),
        }
    }
}
