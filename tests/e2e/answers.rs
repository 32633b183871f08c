//! Questions and answers, without trouble.

use talaria_emulators::anthropic::{Matcher, Reply};
use talaria_harness::setup::ANN;

use crate::support::{SOON, with_gateway};

#[test]
fn a_question_gets_one_whole_answer() {
    with_gateway(async |rig| {
        let markdown = "# An answer\n\nWith **bold** text and a list:\n\n- one\n- two\n";
        rig.model().script(Matcher::Any, Reply::text(markdown));
        let asked = rig.says(ANN, "Hello there");
        rig.answer(ANN, asked, markdown, SOON).await;
        rig.quiet(SOON).await;
        let shown = rig.answer(ANN, asked, markdown, SOON).await;
        assert_eq!(shown.len(), 1, "{shown:?}");
        assert_eq!(rig.model().request_count(), 1);
        let exit = rig.terminate().await;
        exit.assert(0, &[]);
    });
}
