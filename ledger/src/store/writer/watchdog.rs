//! The watchdog thread. Asleep while nothing is open; otherwise until the oldest request is due.

use super::super::StoreError;
use super::queue::Queue;

pub(super) fn run(queue: &Queue) {
    if queue.wait_for_overdue() {
        queue.fail(StoreError::Hung(queue.deadline()));
    }
}
