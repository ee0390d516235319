//! Skins: joints and bind matrices.

use std::collections::HashSet;

use glam::{Affine3A, Mat4};

use crate::{
    Skin,
    accessor::Reader,
    document::{self, Document},
    element::{Numbers, Shape},
    error::{ImportError, Result, Warnings},
};

/// Every skin of the file; `joint_of_node` holds all their joints.
pub(crate) fn read(
    document: &Document,
    joint_of_node: &[Option<u16>],
    reader: &mut Reader,
    warnings: &mut Warnings,
) -> Result<Vec<Skin>> {
    let skins = document.skins.iter().enumerate();
    skins
        .map(|(index, skin)| {
            let pointer = format!("/skins/{index}");
            if skin.joints.is_empty() {
                let message = "a skin needs at least one joint";
                return Err(ImportError::new(
                    "E-SKIN",
                    format!("{pointer}/joints"),
                    message,
                ));
            }
            refuse_repeated(skin, &pointer)?;
            let joints = skin
                .joints
                .iter()
                .filter_map(|&node| joint_of_node[node])
                .collect();
            let inverse_bind = bind_matrices(skin, &pointer, reader, warnings)?;
            Ok(Skin {
                joints,
                inverse_bind,
            })
        })
        .collect()
}

fn refuse_repeated(skin: &document::Skin, pointer: &str) -> Result<()> {
    let mut seen = HashSet::new();
    let repeated = skin.joints.iter().position(|joint| !seen.insert(joint));
    repeated.map_or(Ok(()), |index| {
        let message = format!("node {} is listed twice", skin.joints[index]);
        Err(ImportError::new(
            "E-SKIN",
            format!("{pointer}/joints/{index}"),
            message,
        ))
    })
}

/// One matrix a joint; the identity where the file has none.
fn bind_matrices(
    skin: &document::Skin,
    pointer: &str,
    reader: &mut Reader,
    warnings: &mut Warnings,
) -> Result<Vec<Affine3A>> {
    let count = skin.joints.len();
    let Some(accessor) = skin.inverse_bind_matrices else {
        return Ok(vec![Affine3A::IDENTITY; count]);
    };
    let pointer = format!("{pointer}/inverseBindMatrices");
    let values = reader.floats(accessor, &pointer, Shape::Mat4, Numbers::Float)?;
    let (matrices, _) = values.as_chunks::<16>();
    let Some(matrices) = matrices.get(..count) else {
        return Err(ImportError::new(
            "E-SKIN",
            pointer,
            format!("{} matrices for {count} joints", matrices.len()),
        ));
    };
    let matrices = matrices.iter().enumerate();
    Ok(matrices
        .map(|(joint, columns)| {
            let matrix = Mat4::from_cols_array(columns);
            if matrix.row(3).to_array() != [0.0, 0.0, 0.0, 1.0] {
                warnings.add(
                    "W-MATRIX-PROJECTIVE",
                    pointer.clone(),
                    format!(
                        "the last row {} of matrix {joint} is ignored",
                        matrix.row(3)
                    ),
                );
            }
            Affine3A::from_mat4(matrix)
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{floats, import_parts};

    fn check(joints: &str, matrices: usize) -> Result<Vec<Skin>> {
        let mut numbers = Vec::new();
        for _ in 0..matrices {
            numbers.extend(Mat4::from_scale(glam::Vec3::splat(2.0)).to_cols_array());
        }
        let body = format!(
            r#""nodes":[{{"children":[1]}},{{}}],"skins":[{{"joints":{joints},"inverseBindMatrices":0}}],
               "bufferViews":[{{"buffer":0,"byteLength":{}}}],
               "accessors":[{{"bufferView":0,"componentType":5126,"count":{matrices},"type":"MAT4"}}]"#,
            matrices * 64
        );
        import_parts(&body, &floats(&numbers)).map(|model| model.skins)
    }

    #[test]
    fn each_joint_has_its_bind_matrix() {
        let skins = check("[1,0]", 3).expect("a matrix too many does no harm");
        assert_eq!(skins[0].joints, [1, 0]);
        assert_eq!(
            skins[0].inverse_bind,
            [Affine3A::from_scale(glam::Vec3::splat(2.0)); 2]
        );
    }

    #[test]
    fn skins_without_joints_or_matrices_for_them_are_refused() {
        for (joints, matrices) in [("[]", 1), ("[0,1]", 1), ("[1,1]", 2)] {
            assert_eq!(
                check(joints, matrices).expect_err(joints).code,
                "E-SKIN",
                "{joints}"
            );
        }
    }
}
