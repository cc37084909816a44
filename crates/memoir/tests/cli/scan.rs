//! Looks for a text in every file below a directory, whatever it is packed in.

use std::fs;
use std::path::{Path, PathBuf};

/// The files below `dir` that hold `text`: as it is, in lower case, packed, as numbers, or as a word of the index.
pub fn holding(dir: &Path, text: &str) -> Vec<PathBuf> {
    let wanted = text.to_lowercase();
    let mut found: Vec<PathBuf> = files(dir).into_iter().filter(|file| holds(file, &wanted)).collect();
    let index = dir.join("index");
    if terms(&index).iter().any(|term| is_in(wanted.as_bytes(), term)) {
        found.push(index);
    }
    found
}

/// Every file below a directory.
pub fn files(dir: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path));
        } else {
            all.push(path);
        }
    }
    all.sort();
    all
}

fn holds(file: &Path, wanted: &str) -> bool {
    // A file of another process may go while we look.
    let Ok(bytes) = fs::read(file) else { return false };
    let lower = |bytes: &[u8]| bytes.to_ascii_lowercase();
    is_in(wanted.as_bytes(), &lower(&bytes))
        || is_in(wanted.as_bytes(), &lower(&unpacked(&bytes)))
        || is_in(wanted.as_bytes(), &lower(&numbers(&bytes)))
}

fn is_in(needle: &[u8], bytes: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle)
}

/// Every zstd frame in the bytes, unpacked, whatever page it lies in.
fn unpacked(bytes: &[u8]) -> Vec<u8> {
    const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
    let dictionary =
        fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../memoir-journal/src/dictionary-v1.zdict")).unwrap();
    let mut unpacker = zstd::bulk::Decompressor::with_dictionary(&dictionary).unwrap();
    let mut found = Vec::new();
    for at in 0..bytes.len().saturating_sub(4) {
        if bytes[at..at + 4] == MAGIC {
            let frame = &bytes[at..(at + 70_000).min(bytes.len())];
            if let Ok(size) = zstd::zstd_safe::find_frame_compressed_size(frame) {
                found.extend(unpacker.decompress(&frame[..size], 1 << 20).unwrap_or_default());
            }
        }
    }
    found
}

/// What arrays of numbers in a text say, as the spool writes them.
fn numbers(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let arrays = text.split('[').skip(1).filter_map(|rest| rest.split_once(']'));
    arrays.flat_map(|(array, _)| array.split(',').filter_map(|number| number.trim().parse::<u8>().ok())).collect()
}

/// Every word of an index, of every field.
fn terms(dir: &Path) -> Vec<Vec<u8>> {
    let Ok(meta) = fs::read_to_string(dir.join("meta.json")) else { return Vec::new() };
    let copy = tempfile::tempdir().unwrap();
    for file in files(dir) {
        fs::copy(&file, copy.path().join(file.file_name().unwrap())).unwrap();
    }
    let unsealed = meta.split("\n//memoir ").next().unwrap();
    fs::write(copy.path().join("meta.json"), unsealed).unwrap();
    let index = tantivy::Index::open_in_dir(copy.path()).unwrap();
    let mut found = Vec::new();
    for segment in index.reader().unwrap().searcher().segment_readers() {
        for (field, _) in index.schema().fields() {
            let Ok(inverted) = segment.inverted_index(field) else { continue };
            let mut stream = inverted.terms().stream().unwrap();
            while stream.advance() {
                found.push(stream.key().to_vec());
            }
        }
    }
    found
}
