//! The suite that every adapter passes.

use crate::rig::Bench;

talaria_contract::conformance_tests!(Bench::start);
