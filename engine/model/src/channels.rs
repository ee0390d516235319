//! What an animation channel drives.

use serde::Deserialize;

use crate::{
    document::{Channel, Document},
    error::{ImportError, Result, Warnings},
    references,
};

/// A property of a node that can be animated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Property {
    Translation,
    Rotation,
    Scale,
    /// All morph weights of the node's mesh.
    Weights,
    /// One of them.
    Weight(usize),
}

/// What a channel drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Target {
    pub(crate) node: usize,
    pub(crate) property: Property,
}

/// The target of `channel`, whether by node and path or by KHR_animation_pointer; `None`, with a warning, for what
/// the engine does not animate.
pub(crate) fn target(
    channel: &Channel,
    pointer: &str,
    document: &Document,
    warnings: &mut Warnings,
) -> Result<Option<Target>> {
    #[derive(Deserialize)]
    struct AnimationPointer {
        pointer: String,
    }
    let owner = format!("{pointer}/target");
    let target = &channel.target;
    if let Some(AnimationPointer { pointer: path }) =
        target.extensions.get("KHR_animation_pointer", &owner)?
    {
        let owner = format!("{owner}/extensions/KHR_animation_pointer/pointer");
        let Some(target) = parse(&path) else {
            warnings.add(
                "W-POINTER-IGNORED",
                owner,
                format!("`{path}` is not a node's translation, rotation, scale or weights"),
            );
            return Ok(None);
        };
        references::within(owner, "node", target.node, document.nodes.len())?;
        return Ok(Some(target));
    }
    let property = match target.path.as_str() {
        "translation" => Property::Translation,
        "rotation" => Property::Rotation,
        "scale" => Property::Scale,
        "weights" => Property::Weights,
        other => {
            return Err(ImportError::new(
                "E-CHANNEL",
                format!("{owner}/path"),
                format!("unknown path `{other}`, expected translation, rotation, scale or weights"),
            ));
        }
    };
    let target = target.node.map(|node| Target { node, property });
    if target.is_none() {
        warnings.add("W-CHANNEL-NO-TARGET", owner, "the channel names no node");
    }
    Ok(target)
}

/// `/nodes/<index>/<property>` or `/nodes/<index>/weights/<target>`.
fn parse(pointer: &str) -> Option<Target> {
    let mut parts = pointer.strip_prefix("/nodes/")?.split('/');
    let node = parts.next()?.parse().ok()?;
    let property = match (parts.next()?, parts.next()) {
        ("translation", None) => Property::Translation,
        ("rotation", None) => Property::Rotation,
        ("scale", None) => Property::Scale,
        ("weights", None) => Property::Weights,
        ("weights", Some(target)) => Property::Weight(target.parse().ok()?),
        _ => return None,
    };
    parts.next().is_none().then_some(Target { node, property })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(target: &str) -> (Result<Option<Target>>, Vec<&'static str>) {
        let channel =
            serde_json::from_str(&format!(r#"{{"sampler":0,"target":{target}}}"#)).expect(target);
        let document = serde_json::from_str(r#"{"asset":{"version":"2.0"},"nodes":[{},{}]}"#)
            .expect("document");
        let mut warnings = Warnings::default();
        let result = super::target(&channel, "/c", &document, &mut warnings);
        (
            result,
            warnings.list.iter().map(|warning| warning.code).collect(),
        )
    }

    fn pointer(path: &str) -> String {
        format!(
            r#"{{"path":"pointer","extensions":{{"KHR_animation_pointer":{{"pointer":"{path}"}}}}}}"#
        )
    }

    #[test]
    fn paths_and_pointers_name_the_same_targets() {
        let cases = [
            (r#"{"node":1,"path":"scale"}"#.to_owned(), Property::Scale),
            (pointer("/nodes/1/scale"), Property::Scale),
            (pointer("/nodes/1/weights"), Property::Weights),
            (pointer("/nodes/1/weights/3"), Property::Weight(3)),
        ];
        for (json, property) in cases {
            let (target, codes) = check(&json);
            assert_eq!(target.expect(&json), Some(Target { node: 1, property }));
            assert!(codes.is_empty());
        }
    }

    #[test]
    fn what_is_not_animated_is_told_and_what_is_wrong_refused() {
        for (json, code) in [
            (r#"{"path":"scale"}"#.to_owned(), "W-CHANNEL-NO-TARGET"),
            (pointer("/materials/0/alphaCutoff"), "W-POINTER-IGNORED"),
            (pointer("/nodes/1/scale/x"), "W-POINTER-IGNORED"),
        ] {
            let (target, codes) = check(&json);
            assert_eq!((target.expect(&json), codes), (None, vec![code]));
        }
        for (json, code) in [
            (r#"{"node":1,"path":"colour"}"#.to_owned(), "E-CHANNEL"),
            (pointer("/nodes/2/scale"), "E-INDEX"),
        ] {
            assert_eq!(check(&json).0.expect_err(&json).code, code);
        }
    }
}
