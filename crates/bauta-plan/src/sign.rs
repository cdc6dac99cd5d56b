//! Signatures of records: who has the public key can trust a record that left the house.
//!
//! A signature (ed25519) covers the bytes of a record, and with them the hashes of the released file
//! and of the reports that stand in it. It lies beside the record as `RECORD.sig`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use bauta_data::{DataError, DataProblem, Fingerprint};
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize};

use crate::clock::now_utc;
use crate::output::{Access, Guard, Publication, Replace, write_file};
use crate::verify::{OnDisk, RecordPlaces, files_on_disk};
use crate::work::{WorkError, read_record};

const FORMAT: &str = "bauta-signature/1";
const SECRET: &str = "bauta-secret-key-1";
const PUBLIC: &str = "bauta-public-key-1";

/// A signature as it lies beside its record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct SignatureFile {
    format: String,
    /// When it was made, in UTC.
    signed: String,
    /// SHA-256 of the record's bytes.
    record_sha256: String,
    /// The key that it was made for, in hexadecimal.
    public_key: String,
    /// The signature, in hexadecimal.
    signature: String,
}

impl SignatureFile {
    /// What is signed: everything here but the signature itself.
    fn message(&self) -> Vec<u8> {
        let Self {
            format,
            signed,
            record_sha256,
            public_key,
            ..
        } = self;
        format!("{format}\n{signed}\n{public_key}\n{record_sha256}\n").into_bytes()
    }
}

/// What a signature says of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Signed {
    /// It is as it was signed with the key, at this time (UTC).
    By {
        /// When.
        signed: String,
    },
    /// Nobody has signed it.
    Not,
    /// It was signed with another key.
    ByAnother,
    /// It, or its signature, was altered since.
    Altered,
}

/// Signs a record whose released file and reports are where and what it says. Returns the place of the
/// signature.
pub fn sign(
    record_file: &Path,
    key_file: &Path,
    places: &RecordPlaces,
    replace: Replace,
) -> Result<PathBuf, WorkError> {
    let key = secret_key(key_file)?;
    refuse_unfit(record_file, places)?;
    let guard = Guard::new([record_file, key_file], replace);
    let signature = signature_of(record_file, &key)?;
    let target = signature_path(record_file);
    write_file(&target, &signature, Access::Usual, &guard)?;
    Ok(target)
}

/// Makes a new pair of keys and signs a record with it, or does neither. The secret key is readable by its
/// owner alone; the public one lies beside it as `FILE.pub`. Returns the places of the signature and of the
/// public key.
pub fn sign_with_new_key(
    record_file: &Path,
    key_file: &Path,
    places: &RecordPlaces,
    replace: Replace,
) -> Result<(PathBuf, PathBuf), WorkError> {
    let new = NewKey::make(key_file)?;
    refuse_unfit(record_file, places)?;
    let signature = signature_of(record_file, &new.key)?;
    let target = signature_path(record_file);
    let guard = Guard::new([record_file], replace);
    let mut publication = Publication::begin(&[key_file, &new.public_file, &target], &guard)?;
    new.add_to(&mut publication)?;
    publication.add_bytes(&target, &signature, Access::Usual)?;
    publication.commit()?;
    Ok((target, new.public_file))
}

/// Makes a new pair of keys: the secret one, readable by its owner alone, and the public one beside it
/// as `FILE.pub`, whose place is returned.
pub fn new_key(file: &Path) -> Result<PathBuf, WorkError> {
    let new = NewKey::make(file)?;
    let guard = Guard::default();
    let mut publication = Publication::begin(&[file, &new.public_file], &guard)?;
    new.add_to(&mut publication)?;
    publication.commit()?;
    Ok(new.public_file)
}

/// A pair of keys that lies nowhere yet.
struct NewKey {
    key: SigningKey,
    secret_file: PathBuf,
    public_file: PathBuf,
}

impl NewKey {
    /// Draws one for a file that is not there.
    fn make(file: &Path) -> Result<Self, WorkError> {
        let public_file = with_ending(file, ".pub");
        // A key that is lost cannot sign as the same house again.
        for path in [file, &public_file] {
            if path.symlink_metadata().is_ok() {
                let problem = DataProblem::file(
                    "is there already, and a key is never replaced",
                    "name another file, or leave --new-key out to sign with this one",
                );
                return Err(DataError::one(path, problem).into());
            }
        }
        let mut secret = [0; 32];
        getrandom::fill(&mut secret)
            .map_err(|error| WorkError::internal(format!("no random numbers: {error}")))?;
        Ok(Self {
            key: SigningKey::from_bytes(&secret),
            secret_file: file.to_owned(),
            public_file,
        })
    }

    fn add_to(&self, publication: &mut Publication<'_>) -> Result<(), DataError> {
        let secret = key_text(SECRET, self.key.as_bytes());
        let public = key_text(PUBLIC, self.key.verifying_key().as_bytes());
        publication.add_bytes(&self.secret_file, secret.as_bytes(), Access::OwnerOnly)?;
        publication.add_bytes(&self.public_file, public.as_bytes(), Access::Usual)
    }
}

/// Refuses to sign a record whose files are not what it says.
fn refuse_unfit(record_file: &Path, places: &RecordPlaces) -> Result<(), WorkError> {
    let record = read_record(record_file)?;
    let on_disk = files_on_disk(&record, places);
    let wrong: Vec<String> = on_disk
        .iter()
        .filter(|file| file.found != OnDisk::Same)
        .map(|file| format!("{} {}: {}", file.what, file.file, file.found.in_words()))
        .collect();
    if !wrong.is_empty() {
        return Err(WorkError::mistake(
            format!("the record does not fit its files: {}", wrong.join("; ")),
            "sign where the released file and the reports lie as they were written",
        ));
    }
    Ok(())
}

/// The content of a signature.
fn signature_of(record_file: &Path, key: &SigningKey) -> Result<Vec<u8>, WorkError> {
    let mut file = SignatureFile {
        format: FORMAT.to_owned(),
        signed: now_utc(),
        record_sha256: sha256_of(record_file)?,
        public_key: hexadecimal(key.verifying_key().as_bytes()),
        signature: String::new(),
    };
    file.signature = hexadecimal(&key.sign(&file.message()).to_bytes());
    let json = serde_json::to_string_pretty(&file)
        .map_err(|error| WorkError::internal(format!("no signature: {error}")))?;
    Ok(format!("{json}\n").into_bytes())
}

/// What the signature beside a record says of it under a public key.
pub fn check_signature(record_file: &Path, public_key_file: &Path) -> Result<Signed, WorkError> {
    let key = public_key(public_key_file)?;
    let place = signature_path(record_file);
    let bytes = match std::fs::read(&place) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Signed::Not),
        Err(error) => return Err(DataError::io(&place, "read the signature", &error).into()),
    };
    let Ok(file) = serde_json::from_slice::<SignatureFile>(&bytes) else {
        return Ok(Signed::Altered);
    };
    if file.format != FORMAT {
        let message = format!("its format is not `{FORMAT}`, which this version reads");
        let problem = DataProblem::file(message, "check it with the version that made it");
        return Err(DataError::one(&place, problem).into());
    }
    if file.public_key != hexadecimal(key.as_bytes()) {
        return Ok(Signed::ByAnother);
    }
    let signature = bytes_of::<64>(&file.signature).map(|bytes| Signature::from_bytes(&bytes));
    let holds = signature.is_some_and(|it| key.verify_strict(&file.message(), &it).is_ok());
    Ok(if holds && sha256_of(record_file)? == file.record_sha256 {
        Signed::By {
            signed: file.signed,
        }
    } else {
        Signed::Altered
    })
}

/// Where the signature of a record lies.
pub fn signature_path(record_file: &Path) -> PathBuf {
    with_ending(record_file, ".sig")
}

fn with_ending(file: &Path, ending: &str) -> PathBuf {
    let mut name: OsString = file.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

fn sha256_of(file: &Path) -> Result<String, DataError> {
    let opened = std::fs::File::open(file).and_then(Fingerprint::of);
    let print = opened.map_err(|error| DataError::io(file, "read", &error))?;
    Ok(print.sha256)
}

fn secret_key(file: &Path) -> Result<SigningKey, WorkError> {
    let text = key_file(file)?;
    let secret = key_bytes(&text, SECRET).ok_or_else(|| {
        let hint = if key_bytes(&text, PUBLIC).is_some() {
            "this is a public key, which checks signatures: name the secret one"
        } else {
            "make one with --new-key"
        };
        DataError::one(
            file,
            DataProblem::file("is not a secret key of Bauta", hint),
        )
    })?;
    refuse_shared(file)?;
    Ok(SigningKey::from_bytes(&secret))
}

fn public_key(file: &Path) -> Result<VerifyingKey, WorkError> {
    let text = key_file(file)?;
    let public = key_bytes(&text, PUBLIC);
    let public = public.and_then(|bytes| VerifyingKey::from_bytes(&bytes).ok());
    public.ok_or_else(|| {
        let hint = if key_bytes(&text, SECRET).is_some() {
            "this is the secret key, which only its owner may have: name FILE.pub, which lies beside it"
        } else {
            "name the FILE.pub that `bauta sign --new-key` made"
        };
        DataError::one(file, DataProblem::file("is not a public key of Bauta", hint)).into()
    })
}

/// A secret that others can read is none.
fn refuse_shared(file: &Path) -> Result<(), DataError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let found = std::fs::metadata(file);
        let found = found.map_err(|error| DataError::io(file, "read the key", &error))?;
        if found.permissions().mode() & 0o077 != 0 {
            let problem = DataProblem::file(
                "others than its owner can read this secret key",
                "make a new one, or let only its owner read it (chmod 600)",
            );
            return Err(DataError::one(file, problem));
        }
    }
    let _ = file;
    Ok(())
}

fn key_file(file: &Path) -> Result<String, DataError> {
    let bytes = std::fs::read(file).map_err(|error| DataError::io(file, "read the key", &error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn key_text(kind: &str, key: &[u8; 32]) -> String {
    format!("{kind} {}\n", hexadecimal(key))
}

fn key_bytes(text: &str, kind: &str) -> Option<[u8; 32]> {
    let key = text.trim().strip_prefix(kind)?.trim();
    bytes_of(key)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes_of<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    if digits.len() != 2 * N {
        return None;
    }
    let mut out = [0; N];
    for (byte, pair) in out.iter_mut().zip(digits.chunks_exact(2)) {
        let pair = std::str::from_utf8(pair).ok()?;
        *byte = u8::from_str_radix(pair, 16).ok()?;
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_that_of_the_standard() {
        // RFC 8032, section 7.1, test 2: one byte.
        let secret = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb";
        let key = SigningKey::from_bytes(&bytes_of(secret).unwrap());
        assert_eq!(
            hexadecimal(key.verifying_key().as_bytes()),
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
        );
        assert_eq!(
            hexadecimal(&key.sign(&[0x72]).to_bytes()),
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da\
             085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        );
    }

    #[test]
    fn only_whole_keys_are_keys() {
        let key = "00".repeat(32);
        assert!(key_bytes(&format!("{PUBLIC} {key}\n"), PUBLIC).is_some());
        for wrong in ["", "00", "zz", &"0".repeat(63), &"0".repeat(66)] {
            assert!(key_bytes(&format!("{PUBLIC} {wrong}"), PUBLIC).is_none());
        }
        assert!(key_bytes(&format!("{SECRET} {key}"), PUBLIC).is_none());
    }
}
