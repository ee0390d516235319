//! Skins: joints and bind matrices.

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
