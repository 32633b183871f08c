//! The manifests, as far as the rules need them.

use std::collections::BTreeMap;

use toml::{Table, Value};

use crate::tree::File;

pub(crate) struct Manifest {
    /// Of the manifest file.
    pub(crate) path: String,
    pub(crate) name: String,
    pub(crate) table: Table,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Normal,
    Build,
    Dev,
}

pub(crate) struct Dependency {
    /// Of the package, also where the key renames it.
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) from_workspace: bool,
}

impl Manifest {
    pub(crate) fn new(file: &File) -> Self {
        let table: Table = file
            .text
            .parse()
            .unwrap_or_else(|error| panic!("{}: {error}", file.path));
        let name = table.get("package").and_then(|package| package.get("name"));
        let name = name.and_then(Value::as_str).unwrap_or_default().to_owned();
        Self {
            path: file.path.clone(),
            name,
            table,
        }
    }

    pub(crate) fn dependencies(&self) -> Vec<Dependency> {
        let mut found = of_tables(&self.table);
        // Those for some targets alone count as any other.
        if let Some(Value::Table(targets)) = self.table.get("target") {
            found.extend(
                targets
                    .values()
                    .filter_map(Value::as_table)
                    .flat_map(of_tables),
            );
        }
        found
    }
}

fn of_tables(table: &Table) -> Vec<Dependency> {
    let kinds = [
        ("dependencies", Kind::Normal),
        ("build-dependencies", Kind::Build),
        ("dev-dependencies", Kind::Dev),
    ];
    let mut found = Vec::new();
    for (key, kind) in kinds {
        for (name, value) in table
            .get(key)
            .and_then(Value::as_table)
            .into_iter()
            .flatten()
        {
            let renamed = value.get("package").and_then(Value::as_str);
            let from_workspace = value.get("workspace").and_then(Value::as_bool) == Some(true);
            let name = renamed.unwrap_or(name).to_owned();
            found.push(Dependency {
                name,
                kind,
                from_workspace,
            });
        }
    }
    found
}

/// Every package of the workspace.
pub(crate) fn manifests(files: &[File]) -> Vec<Manifest> {
    files
        .iter()
        .filter(|file| file.name() == "Cargo.toml")
        .map(Manifest::new)
        .collect()
}

/// The packages of a lock file: name, versions, sources.
pub(crate) fn locked(text: &str) -> BTreeMap<String, Vec<(String, Option<String>)>> {
    let table: Table = text
        .parse()
        .unwrap_or_else(|error| panic!("the lock file: {error}"));
    let mut found: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for package in table
        .get("package")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let text = |key: &str| package.get(key).and_then(Value::as_str).map(str::to_owned);
        let entry = (text("version").unwrap_or_default(), text("source"));
        found
            .entry(text("name").unwrap_or_default())
            .or_default()
            .push(entry);
    }
    found
}

#[test]
fn dependencies_are_found_in_every_form() {
    let manifest = Manifest::new(&File::new(
        "x/Cargo.toml",
        "[package]\nname='x'\n[dependencies]\na.workspace = true\nb = '1'\nc = { package = 'd', version = '1' }\n[dev-dependencies]\ne = { workspace = true }\n[build-dependencies]\nf = '1'\n[target.'cfg(unix)'.dependencies]\ng.workspace = true\n",
    ));
    let found: Vec<_> = manifest
        .dependencies()
        .into_iter()
        .map(|found| (found.name, found.kind, found.from_workspace))
        .collect();
    let of = |name: &str, kind, from_workspace| (name.to_owned(), kind, from_workspace);
    assert_eq!(
        found,
        [
            of("a", Kind::Normal, true),
            of("b", Kind::Normal, false),
            of("d", Kind::Normal, false),
            of("f", Kind::Build, false),
            of("e", Kind::Dev, true),
            of("g", Kind::Normal, true),
        ]
    );
}
