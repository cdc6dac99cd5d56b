//! What a file's bytes hash to.

use std::fmt::Write as _;
use std::io::{self, Read, Write};

use sha2::{Digest, Sha256};

/// Hash of a file, and a secret that only someone with the whole file can compute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fingerprint {
    /// SHA-256 in hexadecimal, as `sha256sum` prints it.
    pub sha256: String,
    /// Number of bytes.
    pub n_bytes: u64,
    /// Seed for runs whose plan gives none. Not derivable from `sha256`, which reports may show.
    pub seed: u64,
}

/// The hash of a file that was written. Nobody takes a seed from it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrittenBytes {
    /// SHA-256 in hexadecimal, as `sha256sum` prints it.
    pub sha256: String,
    /// Number of bytes.
    pub n_bytes: u64,
}

impl From<&Fingerprint> for WrittenBytes {
    fn from(print: &Fingerprint) -> Self {
        Self {
            sha256: print.sha256.clone(),
            n_bytes: print.n_bytes,
        }
    }
}

/// Hashes the bytes of a file that is written, once: the seed would take as long again.
#[derive(Clone, Debug, Default)]
pub(crate) struct WrittenHasher {
    public: Sha256,
    n_bytes: u64,
}

impl WrittenHasher {
    /// Takes in the next bytes.
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.public.update(bytes);
        self.n_bytes += bytes.len() as u64;
    }

    /// What all bytes together hash to.
    pub(crate) fn finish(self) -> WrittenBytes {
        WrittenBytes {
            sha256: hexadecimal(&self.public.finalize()),
            n_bytes: self.n_bytes,
        }
    }
}

/// Hashes bytes as they pass by.
#[derive(Clone, Debug)]
pub struct Hasher {
    public: Sha256,
    secret: Sha256,
    n_bytes: u64,
}

impl Default for Hasher {
    fn default() -> Self {
        Self {
            public: Sha256::new(),
            secret: Sha256::new_with_prefix(b"bauta seed\0"),
            n_bytes: 0,
        }
    }
}

impl Hasher {
    /// Takes in the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.public.update(bytes);
        self.secret.update(bytes);
        self.n_bytes += bytes.len() as u64;
    }

    /// What all bytes together hash to.
    pub fn finish(self) -> Fingerprint {
        let secret: [u8; 32] = self.secret.finalize().into();
        let first_half: [u8; 8] = secret[..8].try_into().expect("eight of 32 bytes");
        Fingerprint {
            sha256: hexadecimal(&self.public.finalize()),
            n_bytes: self.n_bytes,
            // 53 bits, so that the seed survives JSON readers that know only floating point.
            seed: u64::from_le_bytes(first_half) >> 11,
        }
    }
}

impl Write for Hasher {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Fingerprint {
    /// What these bytes hash to.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let mut hasher = Hasher::default();
        hasher.update(bytes);
        hasher.finish()
    }

    /// Reads to the end and hashes.
    pub fn of(mut reader: impl Read) -> io::Result<Self> {
        let mut hasher = Hasher::default();
        let mut buffer = vec![0; 1 << 16];
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return Ok(hasher.finish()),
                Ok(n_read) => hasher.update(&buffer[..n_read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_that_of_sha256sum() {
        // FIPS 180-2, appendix B.1: "abc".
        let print = Fingerprint::of(&b"abc"[..]).unwrap();
        assert_eq!(
            print.sha256,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(print.n_bytes, 3);
        assert!(print.seed < 1 << 53);
    }
}
