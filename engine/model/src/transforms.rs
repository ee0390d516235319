//! The local transform of a node: translation, rotation and scale, or a matrix that may be more than that.

use glam::{Affine3A, DAffine3, DMat3, DMat4, DQuat, DVec3};
use sinew_anim::Transform;

use crate::{
    document::Node,
    error::{ImportError, Result, Warnings},
};

/// A length error of a quaternion below this is what rounding to text leaves; above it is told.
pub(crate) const UNIT_TOLERANCE: f64 = 1e-4;

/// Relative error up to which a matrix counts as translation, rotation and scale.
const MATRIX_TOLERANCE: f64 = 1e-6;

/// A node's local transform: `pre * rest`.
pub(crate) struct Local {
    pub(crate) rest: Transform,
    /// What translation, rotation and scale cannot say.
    pub(crate) pre: Option<DAffine3>,
}

impl Local {
    pub(crate) fn to_affine(&self) -> DAffine3 {
        let rest = DAffine3::from_scale_rotation_translation(
            self.rest.scale.as_dvec3(),
            self.rest.rotation.as_dquat(),
            self.rest.translation.as_dvec3(),
        );
        self.pre.map_or(rest, |pre| pre * rest)
    }
}

/// Reads and checks the transform of one node.
pub(crate) fn local(node: &Node, pointer: &str, warnings: &mut Warnings) -> Result<Local> {
    let has_trs = node.translation.is_some() || node.rotation.is_some() || node.scale.is_some();
    let Some(columns) = node.matrix else {
        return from_parts(node, pointer, warnings);
    };
    let pointer = format!("{pointer}/matrix");
    if has_trs {
        warnings.add(
            "W-MATRIX-AND-TRS",
            pointer.clone(),
            "translation, rotation and scale beside the matrix are ignored",
        );
    }
    let matrix = DMat4::from_cols_array(&columns);
    if matrix.row(3).to_array() != [0.0, 0.0, 0.0, 1.0] {
        warnings.add(
            "W-MATRIX-PROJECTIVE",
            pointer.clone(),
            format!("the last row {} is ignored", matrix.row(3)),
        );
    }
    let affine = DAffine3 {
        matrix3: DMat3::from_mat4(matrix),
        translation: matrix.w_axis.truncate(),
    };
    if !affine.as_affine3a().is_finite() {
        return Err(ImportError::new(
            "E-TRANSFORM",
            pointer,
            "the matrix is too large",
        ));
    }
    Ok(split(affine).unwrap_or_else(|| {
        warnings.add(
            "W-MATRIX-KEPT",
            pointer,
            "the matrix shears or flattens; it is kept as a constant map",
        );
        Local {
            rest: Transform::IDENTITY,
            pre: Some(affine),
        }
    }))
}

fn from_parts(node: &Node, pointer: &str, warnings: &mut Warnings) -> Result<Local> {
    let translation = DVec3::from(node.translation.unwrap_or_default()).as_vec3();
    let scale = node.scale.map_or(DVec3::ONE, DVec3::from).as_vec3();
    let rotation = DQuat::from_array(node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]));
    let length = rotation.length();
    if !translation.is_finite() || !scale.is_finite() {
        return Err(ImportError::new(
            "E-TRANSFORM",
            pointer,
            "the translation or scale is too large",
        ));
    }
    // The shortest normal numbers, so that the division below is exact enough.
    if !(length > 1e-30 && length.is_finite()) {
        return Err(ImportError::new(
            "E-TRANSFORM",
            format!("{pointer}/rotation"),
            format!("a quaternion of length {length} is no rotation"),
        ));
    }
    if (length - 1.0).abs() > UNIT_TOLERANCE {
        warnings.add(
            "W-QUATERNION-NORMALISED",
            format!("{pointer}/rotation"),
            format!("the quaternion's length is {length}; it was normalised"),
        );
    }
    Ok(Local {
        rest: Transform {
            translation,
            rotation: (rotation / length).as_quat(),
            scale,
        },
        pre: None,
    })
}

/// The matrix as translation, rotation and scale, if it is no more than that.
fn split(affine: DAffine3) -> Option<Local> {
    let (scale, rotation, translation) = affine.to_scale_rotation_translation();
    let local = Local {
        rest: Transform {
            translation: translation.as_vec3(),
            rotation: rotation.normalize().as_quat(),
            scale: scale.as_vec3(),
        },
        pre: None,
    };
    let largest = |m: DMat3| {
        m.to_cols_array()
            .iter()
            .fold(0.0, |max: f64, x| max.max(x.abs()))
    };
    let error = largest(local.to_affine().matrix3 - affine.matrix3);
    let exact = error <= MATRIX_TOLERANCE * largest(affine.matrix3);
    (exact && rotation.is_finite()).then_some(local)
}

/// A constant map in the precision of the engine.
pub(crate) fn single(affine: DAffine3) -> Affine3A {
    affine.as_affine3a()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str) -> (Result<Local>, Vec<&'static str>) {
        let node = serde_json::from_str(json).expect(json);
        let mut warnings = Warnings::default();
        let local = local(&node, "/nodes/0", &mut warnings);
        (local, warnings.list.iter().map(|w| w.code).collect())
    }

    #[test]
    fn a_matrix_of_scale_mirror_and_rotation_is_split_without_loss() {
        let matrix = DAffine3::from_scale_rotation_translation(
            DVec3::new(0.01, -2.0, 3.0),
            DQuat::from_rotation_y(0.7),
            DVec3::new(1.0, 2.0, 3.0),
        );
        let columns = DMat4::from(matrix).to_cols_array();
        let (local, codes) = check(&format!(r#"{{"matrix":{columns:?}}}"#));
        let local = local.expect("valid");
        assert!(local.pre.is_none() && codes.is_empty(), "{codes:?}");
        assert!(local.to_affine().abs_diff_eq(matrix, 1e-6));
    }

    #[test]
    fn shear_and_flat_matrices_are_kept_whole() {
        for matrix in [
            "[1,0,0,0, 0.5,1,0,0, 0,0,1,0, 0,0,0,1]",
            "[0,0,0,0, 0,0,0,0, 0,0,1,0, 4,5,6,1]",
        ] {
            let (local, codes) = check(&format!(r#"{{"matrix":{matrix}}}"#));
            let local = local.expect(matrix);
            assert_eq!(local.rest, Transform::IDENTITY);
            assert!(local.pre.is_some());
            assert_eq!(codes, ["W-MATRIX-KEPT"]);
        }
    }

    #[test]
    fn rotations_are_normalised_and_impossible_parts_refused() {
        let (local, codes) = check(r#"{"rotation":[0,0,0,2]}"#);
        assert_eq!(local.expect("valid").rest, Transform::IDENTITY);
        assert_eq!(codes, ["W-QUATERNION-NORMALISED"]);
        for json in [
            r#"{"rotation":[0,0,0,0]}"#,
            r#"{"translation":[1e300,0,0]}"#,
            r#"{"scale":[1e300,0,0]}"#,
            r#"{"matrix":[1e300,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1]}"#,
        ] {
            let (result, _) = check(json);
            assert_eq!(result.err().expect(json).code, "E-TRANSFORM");
        }
    }
}
