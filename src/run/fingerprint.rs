//! Whether two results come from the same scenario, and whether a file is as it was written.

use crate::scenario::load::Scenario;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// FNV-1a with 128 bits (G. Fowler, L. C. Noll, K.-P. Vo and D. Eastlake, RFC 9923): the same on every machine, and two
/// different texts meet by chance once in 10^19 scenarios. Nobody is kept from making two that meet, for nobody gains by it;
/// a cryptographic hash would be a dependency for nothing.
struct Fnv(u128);

const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

/// What a file held when it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contents {
    /// Its length.
    pub bytes: u64,
    /// Their hash.
    pub fnv1a: String,
}

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(PRIME);
        }
    }
}

impl Write for Fnv {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.add(text.as_bytes());
        Ok(())
    }
}

impl Contents {
    /// Of a file as it is now.
    pub fn of(path: &Path) -> io::Result<Self> {
        let (mut file, mut buffer) = (File::open(path)?, vec![0; 1 << 16]);
        let (mut hash, mut bytes) = (Fnv(BASIS), 0);
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok(Self { bytes, fnv1a: format!("{:032x}", hash.0) }),
                length => {
                    hash.add(&buffer[..length]);
                    bytes += length as u64;
                }
            }
        }
    }
}

/// A hash of all that decides the answer of `command` with `options`: the scenario with every default and `--set` filled in, its seed and
/// replications, and what was read from the files that it names and from the catalogue. All of it is in the scenario as
/// resolved, so its every field is hashed, as Rust prints it. Keys with many values know where they were written, which
/// decides nothing: of them the names are hashed in their order, and the values as the scenario tells them.
pub fn fingerprint(command: &str, options: &[String], scenario: &Scenario) -> String {
    let mut scenario = scenario.clone();
    let swept = scenario.sweep.take().map(|sweep| sweep.keys());
    let uncertain: Vec<String> =
        std::mem::take(&mut scenario.uncertain).iter().map(|one| one.key.to_string()).collect();
    let mut hash = Fnv(BASIS);
    let version = env!("CARGO_PKG_VERSION");
    write!(hash, "{version} {command} {options:?} {swept:?} {uncertain:?} {scenario:?}")
        .expect("a hash takes every text");
    format!("{:032x}", hash.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test vectors of RFC 9923, appendix C.
    #[test]
    fn hashes_are_those_of_the_standard() {
        for (text, right) in [
            ("", 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d),
            ("a", 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964_u128),
            ("foobar", 0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18),
        ] {
            let mut hash = Fnv(BASIS);
            hash.write_str(text).unwrap();
            assert_eq!(hash.0, right, "{text}: {:x}", hash.0);
        }
    }
}
