//! SHA-256, for the one hash that Codex wants; test support takes no dependency for it.

/// The hash in hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    let constants: Vec<u32> = primes().take(64).map(|prime| root_bits(prime, f64::cbrt)).collect();
    let mut state: Vec<u32> = primes().take(8).map(|prime| root_bits(prime, f64::sqrt)).collect();
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend((bytes.len() as u64 * 8).to_be_bytes());
    for block in padded.chunks_exact(64) {
        let mut words: Vec<u32> =
            block.chunks_exact(4).map(|word| u32::from_be_bytes([word[0], word[1], word[2], word[3]])).collect();
        for at in 16..64 {
            let (near, far) = (words[at - 2], words[at - 15]);
            let near = near.rotate_right(17) ^ near.rotate_right(19) ^ (near >> 10);
            let far = far.rotate_right(7) ^ far.rotate_right(18) ^ (far >> 3);
            words.push(words[at - 16].wrapping_add(far).wrapping_add(words[at - 7]).wrapping_add(near));
        }
        let mut round = state.clone();
        for (word, constant) in words.iter().zip(&constants) {
            step(&mut round, word.wrapping_add(*constant));
        }
        for (sum, add) in state.iter_mut().zip(round) {
            *sum = sum.wrapping_add(add);
        }
    }
    state.iter().map(|word| format!("{word:08x}")).collect()
}

fn step(round: &mut Vec<u32>, word: u32) {
    let (a, b, c, e, f, g) = (round[0], round[1], round[2], round[4], round[5], round[6]);
    let choice = (e & f) ^ (!e & g);
    let majority = (a & b) ^ (a & c) ^ (b & c);
    let high = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
    let low = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
    let first = round[7].wrapping_add(high).wrapping_add(choice).wrapping_add(word);
    round.pop();
    round.insert(0, first.wrapping_add(low).wrapping_add(majority));
    round[4] = round[4].wrapping_add(first);
}

fn primes() -> impl Iterator<Item = u32> {
    (2..).filter(|candidate: &u32| (2..*candidate).all(|divisor| !candidate.is_multiple_of(divisor)))
}

/// The first 32 bits after the point of a prime's root; double precision has bits enough for these.
fn root_bits(prime: u32, root: fn(f64) -> f64) -> u32 {
    (root(f64::from(prime)).fract() * 2_f64.powi(32)) as u32
}

#[cfg(test)]
mod tests {
    use super::hex;

    #[test]
    fn the_hash_is_that_of_the_standard() {
        assert_eq!(hex(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let long = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(hex(long.as_bytes()), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    }
}
