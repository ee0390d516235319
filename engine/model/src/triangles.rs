//! Triangles of a primitive in any mode, and normals where a file has none.

use glam::Vec3;

use crate::error::{ImportError, Result, Warnings};

/// What a primitive's `mode` draws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mode {
    PointsOrLines,
    Triangles,
    Strip,
    Fan,
}

impl Mode {
    pub(crate) fn parse(mode: Option<u32>, pointer: &str) -> Result<Self> {
        match mode.unwrap_or(4) {
            0..=3 => Ok(Self::PointsOrLines),
            4 => Ok(Self::Triangles),
            5 => Ok(Self::Strip),
            6 => Ok(Self::Fan),
            other => Err(ImportError::new(
                "E-PRIMITIVE-MODE",
                format!("{pointer}/mode"),
                format!("unknown mode {other}, expected 0 to 6"),
            )),
        }
    }
}

/// Three vertex numbers a triangle; `vertices` are those that are drawn, in order.
pub(crate) fn triangulate(
    mode: Mode,
    vertices: Vec<u32>,
    pointer: &str,
    warnings: &mut Warnings,
) -> Vec<u32> {
    let whole = match mode {
        Mode::PointsOrLines => {
            let message = "points and lines are kept and not drawn";
            warnings.add("W-PRIMITIVE-NOT-DRAWN", pointer, message);
            return Vec::new();
        }
        Mode::Triangles => vertices.len() - vertices.len() % 3,
        Mode::Strip | Mode::Fan if vertices.len() < 3 => 0,
        Mode::Strip | Mode::Fan => vertices.len(),
    };
    if whole < vertices.len() {
        warnings.add(
            "W-TRIANGLE-INCOMPLETE",
            pointer,
            format!(
                "the last {} vertices make no triangle",
                vertices.len() - whole
            ),
        );
    }
    match mode {
        Mode::Strip => strip(&vertices),
        Mode::Fan => fan(&vertices),
        Mode::Triangles | Mode::PointsOrLines => {
            let mut vertices = vertices;
            vertices.truncate(whole);
            vertices
        }
    }
}

/// Every second triangle is turned, so that all face the same side.
fn strip(vertices: &[u32]) -> Vec<u32> {
    let corners = vertices.windows(3).enumerate();
    corners
        .flat_map(|(index, corner)| {
            let turned = index % 2;
            [corner[0], corner[1 + turned], corner[2 - turned]]
        })
        .collect()
}

fn fan(vertices: &[u32]) -> Vec<u32> {
    let Some((&hub, rim)) = vertices.split_first() else {
        return Vec::new();
    };
    rim.windows(2)
        .flat_map(|edge| [edge[0], edge[1], hub])
        .collect()
}

/// Smooth normals: each vertex takes those of its triangles, weighed by their areas. Vertices without a triangle of any
/// area get +Y.
pub(crate) fn smooth_normals(positions: &[Vec3], triangles: &[u32]) -> Vec<Vec3> {
    let mut normals = vec![Vec3::ZERO; positions.len()];
    for corner in triangles.as_chunks::<3>().0 {
        let [a, b, c] = corner.map(|vertex| vertex as usize);
        let area = (positions[b] - positions[a]).cross(positions[c] - positions[a]);
        if area.is_finite() {
            for vertex in [a, b, c] {
                normals[vertex] += area;
            }
        }
    }
    normals
        .into_iter()
        .map(|normal| normal.normalize_or(Vec3::Y))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_gives_triangles_of_one_side() {
        // A square in the plane z = 0, seen from +z.
        let square = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(1.0, 1.0, 0.0)];
        let cases = [
            (Mode::Triangles, vec![0, 1, 2, 2, 1, 3]),
            (Mode::Strip, vec![0, 1, 2, 3]),
            (Mode::Fan, vec![0, 1, 3, 2]),
        ];
        for (mode, vertices) in cases {
            let mut warnings = Warnings::default();
            let triangles = triangulate(mode, vertices, "/p", &mut warnings);
            assert_eq!(triangles.len(), 6, "{mode:?}");
            assert_eq!(
                smooth_normals(&square, &triangles),
                [Vec3::Z; 4],
                "{mode:?}"
            );
            assert!(warnings.list.is_empty());
        }
    }

    #[test]
    fn leftovers_are_told_and_nothing_is_drawn_of_too_few() {
        for (mode, count) in [(Mode::Triangles, 5), (Mode::Strip, 2), (Mode::Fan, 1)] {
            let mut warnings = Warnings::default();
            let triangles = triangulate(mode, (0..count).collect(), "/p", &mut warnings);
            assert_eq!(triangles.len() as u32, count / 3 * 3);
            assert_eq!(warnings.list[0].code, "W-TRIANGLE-INCOMPLETE");
        }
    }

    #[test]
    fn degenerate_triangles_give_unit_normals() {
        assert_eq!(smooth_normals(&[Vec3::ONE; 3], &[0, 1, 2]), [Vec3::Y; 3]);
    }
}
