use super::{Cursor, STALE_SECONDS};

#[test]
fn a_cursor_survives_its_text() {
    let cursor = Cursor {
        offset: 562,
        at: 1_790_000_000,
    };
    assert_eq!(cursor.to_string(), "562@1790000000");
    assert_eq!(Cursor::parse("562@1790000000"), Some(cursor));
    for text in ["", "562", "@", "x@1", "1@x", "1@-1", "1@2@3"] {
        assert_eq!(Cursor::parse(text), None, "{text}");
    }
}

#[test]
fn an_offset_is_not_used_after_a_quiet_week() {
    let cursor = Cursor {
        offset: 562,
        at: 1_000,
    };
    assert_eq!(cursor.offset_at(1_000 + STALE_SECONDS - 1), Some(562));
    assert_eq!(cursor.offset_at(1_000 + STALE_SECONDS), None);
    // A clock that went back makes nothing stale.
    assert_eq!(cursor.offset_at(0), Some(562));
}
