//! A ceiling on what one file may unfold to.

use crate::error::{ImportError, Result};

/// Granted to every file, bytes.
const BASE: u64 = 256 << 20;
/// Granted for each byte of the file and of what it refers to.
const PER_BYTE: u64 = 32;

/// Bytes of decoded data that a file may still ask for. A few hundred bytes of JSON can refer to the same
/// data thousands of times, or to zeros that stand nowhere; this is what bounds them all.
pub(crate) struct Budget {
    left: u64,
}

impl Budget {
    pub(crate) fn new(file_bytes: usize) -> Self {
        let mut budget = Self { left: BASE };
        budget.grow(file_bytes);
        budget
    }

    /// Grants more for `bytes` that were fetched from outside.
    pub(crate) fn grow(&mut self, bytes: usize) {
        self.left = self
            .left
            .saturating_add(PER_BYTE.saturating_mul(bytes as u64));
    }

    /// Bytes left, for decoders that take a limit of their own.
    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// Takes `count * size` bytes before they are allocated.
    pub(crate) fn take(&mut self, count: u64, size: u64, pointer: &str) -> Result<()> {
        let wanted = count.checked_mul(size);
        match wanted.and_then(|bytes| self.left.checked_sub(bytes)) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(ImportError::new(
                "E-TOO-LARGE",
                pointer,
                format!(
                    "{count} elements of {size} bytes are more than the {} bytes that a file of this size may still unfold to",
                    self.left
                ),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ceiling_holds_over_many_small_takes_and_against_overflow() {
        let mut budget = Budget::new(0);
        assert_eq!(
            budget.take(u64::MAX, 16, "/x").expect_err("overflow").code,
            "E-TOO-LARGE"
        );
        for _ in 0..256 {
            budget
                .take(1 << 10, 1 << 10, "/x")
                .expect("within the base");
        }
        assert_eq!(budget.take(1, 1, "/x").expect_err("used up").pointer, "/x");
    }
}
