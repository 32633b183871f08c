use super::*;

fn round_trip(value: &[u8]) -> u32 {
    let split = split(value);
    let chunks: Vec<&[u8]> = split.chunks.collect();
    assert!(split.head.len() <= RECORD_BYTES);
    assert!(chunks.iter().all(|chunk| chunk.len() <= RECORD_BYTES));
    match read_head(&split.head).unwrap() {
        Head::Small(small) => assert_eq!((small, chunks.len()), (value, 0)),
        Head::Large(large) => {
            assert_eq!(large.chunks as usize, chunks.len());
            large.check(&chunks.concat()).unwrap();
        }
    }
    u32::try_from(chunks.len()).unwrap()
}

#[test]
fn values_of_every_edge_size_come_back() {
    let sizes = [
        (0, 0),
        (1, 0),
        (4095, 0),
        (4096, 1),
        (4097, 2),
        (8192, 2),
        (1 << 20, 256),
    ];
    for (size, chunks) in sizes {
        let value: Vec<u8> = (0..size).map(|i| (i % 251) as u8).collect();
        assert_eq!(round_trip(&value), chunks, "{size} bytes");
    }
}

#[test]
fn a_head_that_does_not_add_up_is_damage() {
    let split = split(&[7; 5000]);
    let mut wrong_count = split.head.clone();
    wrong_count[4] += 1;
    let mut wrong_length = split.head.clone();
    wrong_length[5] = 0xff;
    let short = &split.head[..split.head.len() - 1];
    for head in [&[][..], &[9, 1, 2], short, &wrong_count, &wrong_length] {
        assert!(read_head(head).unwrap_err().is_damage());
    }
}

#[test]
fn chunks_that_are_mixed_or_missing_are_damage() {
    let split = split(&[7; 5000]);
    let Head::Large(large) = read_head(&split.head).unwrap() else {
        panic!("5000 bytes are large")
    };
    assert!(large.check(&[7; 5000]).is_ok());
    assert!(large.check(&[7; 4096]).unwrap_err().is_damage());
    assert!(large.check(&[8; 5000]).unwrap_err().is_damage());
}

#[test]
fn no_key_of_one_kind_is_a_key_of_another() {
    // A user's key that looks like a chunk's or a meta record's.
    let chunk = chunk_key(b"a", 1);
    assert_ne!(head_key(&chunk), chunk);
    assert_ne!(head_key(&meta_key("epoch", "a")), meta_key("epoch", "a"));
    // The chunks of "a" and those of a longer key whose bytes go on like a chunk number.
    assert_ne!(chunk_key(b"a", 0x62_00_00_00), chunk_key(b"ab", 0));
    assert!(!chunk_key(b"ab", 0).starts_with(&chunk_key(b"a", 0)));
    assert!(head_key(&[0xff; 9]) < heads_end());
}
