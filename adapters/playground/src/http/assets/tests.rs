use super::{FILES, INDEX};

/// Names in `text` that stand between `before` and `after`.
fn names<'a>(text: &'a str, before: &str, after: char) -> Vec<&'a str> {
    text.split(before)
        .skip(1)
        .filter_map(|rest| rest.split(after).next())
        .collect()
}

#[test]
fn every_file_that_the_page_names_is_embedded_and_the_other_way_round() {
    let mut named: Vec<&str> = names(INDEX, "\"/app/", '"');
    for (_, _, content) in FILES {
        named.extend(names(content, "from \"./", '"'));
        named.extend(names(content, "url(\"", '"'));
    }
    assert!(named.len() > 10, "the scan sees the references: {named:?}");
    for name in &named {
        assert!(
            FILES.iter().any(|(known, ..)| known == name),
            "{name} is not embedded"
        );
    }
    for (name, ..) in FILES {
        assert!(named.contains(name), "{name} is embedded and never used");
    }
}

#[test]
fn nothing_comes_from_elsewhere_and_nothing_is_inserted_as_markup() {
    let sources = FILES.iter().map(|(name, _, content)| (*name, *content));
    for (name, content) in sources.chain([("index.html", INDEX)]) {
        for banned in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "DOMParser",
            "style=\"",
            "onclick=",
        ] {
            assert!(!content.contains(banned), "{name} has {banned}");
        }
        let addresses: Vec<&str> = content
            .split_inclusive("://")
            .filter(|part| part.ends_with("https://") || part.ends_with("http://"))
            .collect();
        // The drawings' namespace, and the scheme that a link without one gets.
        let known = content.matches("http://www.w3.org/2000/svg").count()
            + content.matches("https://${content}").count();
        assert_eq!(addresses.len(), known, "{name} names an address");
    }
}
