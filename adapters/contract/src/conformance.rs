//! What every adapter has to prove, whatever its platform. An adapter's tests implement [`Rig`]
//! over an emulator of their platform and name it to [`crate::conformance_tests`], which makes one
//! test of each check. A check gets a fresh rig, and panics where the adapter breaks the contract.

mod calls;
mod failures;
mod intake;
mod receiving;
mod rig;

use std::future::Future;
use std::time::Duration;

pub use calls::{
    a_capability_is_a_call_that_is_supported, a_message_is_made_changed_and_removed,
    an_edit_without_change_succeeds, removing_what_is_gone_succeeds, text_of_the_limit_passes,
    typing_is_shown,
};
pub use failures::{
    a_create_without_an_id_was_sent, a_cut_answer_may_have_sent_it,
    a_rate_limit_names_its_delay_and_sent_nothing, a_refused_connection_sent_nothing,
    a_server_error_may_have_sent_it, refused_credentials_concern_the_account,
};
pub use intake::TestIntake;
pub use receiving::{
    a_bad_event_blocks_no_neighbour, a_closed_sink_ends_receiving,
    a_duplicate_has_the_key_of_its_original, a_press_comes_back_with_its_data_and_is_answered,
    an_unreachable_platform_is_reported_and_tried_again,
    p1_an_event_is_acknowledged_only_after_its_commit, refused_credentials_end_receiving,
};
pub use rig::{Fault, Rig, Seen};

/// How long a check may take in all. Checks wait for conditions; this ends the ones that never
/// come true.
const DEADLINE: Duration = Duration::from_secs(30);

/// Runs one check within its deadline.
pub async fn within_deadline(check: impl Future<Output = ()>) {
    let done = tokio::time::timeout(DEADLINE, check).await;
    assert!(done.is_ok(), "the check was not done after {DEADLINE:?}");
}

/// One test per check. `$rig` is an async function without arguments that gives a fresh [`Rig`].
#[macro_export]
macro_rules! conformance_tests {
    ($rig:path) => {
        $crate::conformance_tests! { @each $rig:
            a_capability_is_a_call_that_is_supported
            a_message_is_made_changed_and_removed
            an_edit_without_change_succeeds
            removing_what_is_gone_succeeds
            text_of_the_limit_passes
            typing_is_shown
            a_cut_answer_may_have_sent_it
            a_create_without_an_id_was_sent
            a_rate_limit_names_its_delay_and_sent_nothing
            a_refused_connection_sent_nothing
            a_server_error_may_have_sent_it
            refused_credentials_concern_the_account
            a_bad_event_blocks_no_neighbour
            a_closed_sink_ends_receiving
            a_duplicate_has_the_key_of_its_original
            a_press_comes_back_with_its_data_and_is_answered
            p1_an_event_is_acknowledged_only_after_its_commit
            an_unreachable_platform_is_reported_and_tried_again
            refused_credentials_end_receiving
        }
    };
    (@each $rig:path: $($check:ident)+) => {
        $(
            #[tokio::test]
            async fn $check() {
                $crate::conformance::within_deadline(async {
                    let rig = $rig().await;
                    $crate::conformance::$check(&rig).await;
                })
                .await;
            }
        )+
    };
}
