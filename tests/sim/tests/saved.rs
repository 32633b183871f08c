//! Runs that once broke a promise. They are kept, and pass.

use std::path::Path;

use talaria_sim::{Case, replay};

#[test]
fn what_failed_once_passes_for_ever() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("saved");
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let case: Case = serde_json::from_str(&text).unwrap();
        if let Err(violation) = replay(&case) {
            panic!("{}: {violation} (it was: {})", path.display(), case.why);
        }
        count += 1;
    }
    assert!(count > 0, "no saved run in {}", folder.display());
}
