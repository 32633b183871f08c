use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::{Facts, private_folder, render, write_private};

#[test]
fn the_file_points_everything_at_this_machine() {
    let text = render(&Facts {
        data_dir: Path::new("/tmp/with \"quotes\"/data"),
        model_url: "http://127.0.0.1:1001",
        telegram_url: "http://127.0.0.1:1002",
        telegram_token_file: Path::new("/tmp/token"),
    })
    .unwrap();
    let file: toml::Table = text.parse().unwrap();
    assert_eq!(
        file["gateway"]["data_dir"].as_str(),
        Some("/tmp/with \"quotes\"/data")
    );
    assert_eq!(file["gateway"]["listen"].as_str(), Some("127.0.0.1:0"));
    assert_eq!(file["agent"]["model"].as_str(), Some("demo/demo"));
    assert_eq!(file["providers"]["demo"]["kind"].as_str(), Some("demo"));
    assert_eq!(
        file["providers"]["demo"]["base_url"].as_str(),
        Some("http://127.0.0.1:1001")
    );
    assert_eq!(file["access"]["default"].as_str(), Some("open"));
    assert_eq!(
        file["telegram"][0]["token"]["file"].as_str(),
        Some("/tmp/token")
    );
    assert_eq!(
        file["telegram"][0]["api_url"].as_str(),
        Some("http://127.0.0.1:1002")
    );
}

#[test]
fn files_and_folders_are_for_this_user_only() {
    let top = tempfile::tempdir().unwrap();
    let folder = private_folder(&top.path().join("a/b")).unwrap();
    assert_eq!(
        std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777,
        0o700
    );
    let file = folder.join("config.toml");
    write_private(&file, "x = 1\n").unwrap();
    assert_eq!(
        std::fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert!(
        write_private(&file, "again").is_err(),
        "an existing file is never overwritten"
    );
}
