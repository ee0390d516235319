//! How much one piece of plain data may hold. A script's table may name one long text thousands of times; as plain data
//! each of them is a copy.

use crate::api::ApiError;

/// Tables nested deeper than this are refused.
pub(crate) const MAX_DEPTH: usize = 32;
const MAX_VALUES: usize = 100_000;
const MAX_BYTES: usize = 4 << 20;
/// Bytes of all fields of one instance together; fields beyond it are left out.
const MAX_FIELDS_BYTES: usize = 64 << 20;

/// What is left for one piece of plain data.
#[derive(Clone, Debug)]
pub(crate) struct Allowance {
    values: usize,
    bytes: usize,
}

impl Default for Allowance {
    fn default() -> Self {
        Self {
            values: MAX_VALUES,
            bytes: MAX_BYTES,
        }
    }
}

impl Allowance {
    /// Takes one value.
    pub fn value(&mut self) -> Result<(), ApiError> {
        let left = self.values.checked_sub(1);
        self.values = left.ok_or_else(|| {
            ApiError::invalid(format!("more than {MAX_VALUES} values in one table"))
        })?;
        Ok(())
    }

    /// Takes a text of so many bytes, before it is copied.
    pub fn text(&mut self, bytes: usize) -> Result<(), ApiError> {
        let left = self.bytes.checked_sub(bytes);
        self.bytes = left.ok_or_else(|| {
            ApiError::invalid(format!("more than {MAX_BYTES} bytes of text in one table"))
        })?;
        Ok(())
    }
}

/// What is left for all fields of one instance.
#[derive(Debug)]
pub(crate) struct FieldsAllowance {
    bytes: usize,
}

impl Default for FieldsAllowance {
    fn default() -> Self {
        Self {
            bytes: MAX_FIELDS_BYTES,
        }
    }
}

impl FieldsAllowance {
    /// What the next field may hold.
    pub fn next(&self) -> Allowance {
        Allowance {
            bytes: self.bytes.min(MAX_BYTES),
            ..Allowance::default()
        }
    }

    /// Takes what a field of the allowance `given` has used.
    pub fn take(&mut self, given: &Allowance, left: &Allowance) {
        self.bytes -= (given.bytes - left.bytes).min(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_bytes_run_out_and_say_so() {
        let mut left = Allowance::default();
        assert!(left.text(MAX_BYTES).is_ok());
        assert!(left.text(1).is_err());
        assert!((0..MAX_VALUES).all(|_| left.value().is_ok()));
        assert!(left.value().is_err());
    }

    #[test]
    fn fields_together_hold_no_more_than_their_share() {
        let mut fields = FieldsAllowance::default();
        let fitting = (0..1000).filter(|_| {
            let (given, mut left) = (fields.next(), fields.next());
            let fits = left.text(MAX_BYTES).is_ok();
            fields.take(&given, &left);
            fits
        });
        assert_eq!(fitting.count(), MAX_FIELDS_BYTES / MAX_BYTES);
    }
}
