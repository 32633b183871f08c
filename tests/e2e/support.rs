//! What every scenario here uses.

use std::time::Duration;

use talaria_harness::{Rig, Setup, within};

/// One user's ordinary wait for an answer, on a busy machine.
pub(crate) const SOON: Duration = Duration::from_secs(30);

/// The gateway of this build, in the usual setup.
pub(crate) fn setup() -> Setup {
    Setup::new(env!("CARGO_BIN_EXE_talaria"))
}

/// Runs a test with a gateway that is up.
pub(crate) fn with_gateway(test: impl AsyncFnOnce(&mut Rig)) {
    with(setup(), async |rig: &mut Rig| {
        rig.start().await;
        test(rig).await;
    });
}

/// Runs a test in this setup; the gateway is not started.
pub(crate) fn with(setup: Setup, test: impl AsyncFnOnce(&mut Rig)) {
    within(Duration::from_secs(120), |deadline| async move {
        let mut rig = Rig::new(setup, &deadline).await;
        test(&mut rig).await;
    });
}
