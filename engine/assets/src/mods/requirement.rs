//! Versions, and which of them will do: `plaza`, `plaza >= 1.0`, `plaza >= 1.2, < 2`.

use std::fmt;

use semver::{Version, VersionReq};

use crate::check_id;

/// A mod or level by id, and the versions of it that will do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// Of the mod or level.
    pub id: String,
    /// Every version where none is written.
    pub versions: VersionReq,
}

impl Requirement {
    /// Reads an id, behind which may stand `>=`, `>`, `<=`, `<` or `=` with a version of one to three numbers, and more
    /// of these after a comma; all must hold. `= 1.0` is any 1.0.x, as `> 1.0` is anything from 1.1.
    ///
    /// # Errors
    /// What is wrong, as the end of a sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let end = text
            .find(|found: char| found.is_whitespace() || "<>=^~*,".contains(found))
            .unwrap_or(text.len());
        let (id, rest) = text.split_at(end);
        check_id(id).map_err(|reason| format!("`{id}` is no id: {reason}"))?;
        let rest = rest.trim();
        if rest.is_empty() {
            let versions = VersionReq::STAR;
            return Ok(Self {
                id: id.to_owned(),
                versions,
            });
        }
        let known = |part: &str| part.trim_start().starts_with(['<', '>', '=']);
        if !rest.split(',').all(known) {
            return Err(format!(
                "`{rest}` does not begin with `>=`, `>`, `<=`, `<` or `=`"
            ));
        }
        let versions = VersionReq::parse(rest).map_err(|error| format!("`{rest}`: {error}"))?;
        let id = id.to_owned();
        Ok(Self { id, versions })
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.versions == VersionReq::STAR {
            out.write_str(&self.id)
        } else {
            write!(out, "{} {}", self.id, self.versions)
        }
    }
}

/// Three numbers with dots between them; `None` for anything else.
pub fn version(text: &str) -> Option<Version> {
    let version = Version::parse(text).ok()?;
    (version.pre.is_empty() && version.build.is_empty()).then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        for (wanted, good, bad) in [
            ("plaza", vec!["0.0.1", "99.0.0"], vec![]),
            (
                "plaza >= 1.0",
                vec!["1.0.0", "1.10.0", "2.0.0"],
                vec!["0.9.9"],
            ),
            ("plaza >= 1.9", vec!["1.9.0", "1.10.0"], vec!["1.8.10"]),
            (
                "plaza>1.0",
                vec!["1.1.0", "2.0.0"],
                vec!["1.0.0", "1.0.7", "0.9.0"],
            ),
            ("plaza > 1.0.0", vec!["1.0.1"], vec!["1.0.0"]),
            ("plaza <= 1.2", vec!["1.2.9", "1.0.0"], vec!["1.3.0"]),
            ("plaza < 2", vec!["1.99.99"], vec!["2.0.0"]),
            (
                "plaza = 1.2",
                vec!["1.2.0", "1.2.9"],
                vec!["1.3.0", "1.1.9"],
            ),
            ("plaza = 1.2.3", vec!["1.2.3"], vec!["1.2.4"]),
            (
                "  plaza  >= 1.0 , < 2.0  ",
                vec!["1.5.0"],
                vec!["2.0.0", "0.9.0"],
            ),
        ] {
            let requirement = Requirement::parse(wanted).expect(wanted);
            assert_eq!(requirement.id, "plaza");
            let allows = |text: &&str| {
                requirement
                    .versions
                    .matches(&version(text).expect("a version"))
            };
            assert!(good.iter().all(allows), "{wanted}: {good:?}");
            assert!(!bad.iter().any(allows), "{wanted}: {bad:?}");
            let again = Requirement::parse(&requirement.to_string()).expect("what it shows reads");
            assert_eq!(again, requirement);
        }
    }

    #[test]
    fn what_is_no_requirement_says_why() {
        for (wanted, word) in [
            ("", "two characters"),
            ("Plaza", "small letter"),
            ("plaza 1.0", "does not begin"),
            ("plaza ^1.0", "does not begin"),
            ("plaza >= one", ">= one"),
            ("plaza >=", ">="),
            ("plaza >= 1.0.0.0", "1.0.0.0"),
            ("plaza >= 99999999999999999999999", "9999"),
            ("../plaza", "id"),
        ] {
            let error = Requirement::parse(wanted).expect_err(wanted);
            assert!(error.contains(word), "{wanted}: {error}");
        }
    }

    #[test]
    fn a_version_is_three_plain_numbers() {
        for text in [
            "1.0",
            "1",
            "1.0.0-beta",
            "1.0.0+x",
            "01.0.0",
            "+1.0.0",
            "1.0.0.0",
            "",
            "a.b.c",
        ] {
            assert_eq!(version(text), None, "{text}");
        }
        assert!(version("1.10.0") > version("1.9.0"));
    }
}
