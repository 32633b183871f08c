//! The text that the supervisor prints.

use std::path::Path;

/// Shown once the page can be opened. The first line is stable: tools read the address from it.
pub(crate) fn text(url: &str, data_dir: Option<&Path>) -> String {
    let ledger = data_dir.map_or_else(
        || "a temporary folder, removed at the end".to_owned(),
        |folder| folder.display().to_string(),
    );
    format!(
        "Talaria playground: {url}\n\
         \n\
         Open that address in a browser, then\n\
         \x20 1. ask for a slow answer (the guide has a button for it),\n\
         \x20 2. press Kill while it grows,\n\
         \x20 3. press Start and watch it finish: once, and whole.\n\
         \n\
         Everything runs on this machine; no account and no key is needed.\n\
         Ledger: {ledger}\n\
         Stop with Ctrl-C.\n"
    )
}
