//! Joints and weights of vertices: all of them, sorted, summing to 1.

use crate::{
    Influences,
    error::{ImportError, Result, Warnings},
};

/// A sum of weights further from 1 than this is told.
const SUM_TOLERANCE: f32 = 1e-5;

/// What a primitive's JOINTS_n and WEIGHTS_n hold: for each vertex, four of each a set.
pub(crate) struct Sets {
    /// One list a set, four numbers a vertex.
    pub(crate) joints: Vec<Vec<u32>>,
    /// One list a set, four numbers a vertex.
    pub(crate) weights: Vec<Vec<f32>>,
}

/// What was repaired, counted in vertices.
#[derive(Default)]
struct Repairs {
    rescaled: usize,
    zero: usize,
    negative: usize,
    unused_joint: usize,
}

/// Merges the sets of one primitive for a skin of `joint_count` joints.
pub(crate) fn merge(
    sets: &Sets,
    vertices: usize,
    joint_count: usize,
    pointer: &str,
    warnings: &mut Warnings,
) -> Result<Influences> {
    let width = sets.joints.len() * 4;
    let mut joints = Vec::with_capacity(vertices * width);
    let mut weights = Vec::with_capacity(vertices * width);
    let mut repairs = Repairs::default();
    let mut used_width = 1;
    let mut vertex_influences: Vec<(f32, u16)> = Vec::with_capacity(width);
    for vertex in 0..vertices {
        vertex_influences.clear();
        for (joints, weights) in sets.joints.iter().zip(&sets.weights) {
            let slots = vertex * 4..vertex * 4 + 4;
            for (&joint, &weight) in joints[slots.clone()].iter().zip(&weights[slots]) {
                let joint = check_joint(joint, weight, joint_count, vertex, pointer, &mut repairs)?;
                vertex_influences.push((weight, joint));
            }
        }
        balance(&mut vertex_influences, &mut repairs);
        let used = vertex_influences
            .iter()
            .take_while(|(weight, _)| *weight > 0.0)
            .count();
        used_width = used_width.max(used);
        weights.extend(vertex_influences.iter().map(|(weight, _)| *weight));
        joints.extend(vertex_influences.iter().map(|(_, joint)| *joint));
    }
    tell(&repairs, pointer, warnings);
    Ok(Influences {
        per_vertex: used_width,
        joints: narrow(&joints, width, used_width),
        weights: narrow(&weights, width, used_width),
    })
}

fn check_joint(
    joint: u32,
    weight: f32,
    joint_count: usize,
    vertex: usize,
    pointer: &str,
    repairs: &mut Repairs,
) -> Result<u16> {
    if (joint as usize) < joint_count {
        return Ok(joint as u16);
    }
    if weight > 0.0 {
        return Err(ImportError::new(
            "E-JOINT-INDEX",
            pointer,
            format!("vertex {vertex} follows joint {joint}, the skin has {joint_count}"),
        ));
    }
    repairs.unused_joint += 1;
    Ok(0)
}

/// Sorts one vertex's influences, strongest first, and scales them to sum to 1.
fn balance(influences: &mut [(f32, u16)], repairs: &mut Repairs) {
    let mut negative = false;
    for (weight, _) in influences.iter_mut() {
        negative |= *weight < 0.0;
        *weight = weight.max(0.0);
    }
    repairs.negative += usize::from(negative);
    let sum: f32 = influences.iter().map(|(weight, _)| *weight).sum();
    if sum > f32::MIN_POSITIVE && sum.is_finite() {
        repairs.rescaled += usize::from((sum - 1.0).abs() > SUM_TOLERANCE);
        influences.iter_mut().for_each(|(weight, _)| *weight /= sum);
    } else {
        repairs.zero += 1;
        for (slot, (weight, _)) in influences.iter_mut().enumerate() {
            *weight = if slot == 0 { 1.0 } else { 0.0 };
        }
    }
    influences.sort_by(|a, b| b.0.total_cmp(&a.0));
}

/// The first `used` of every `width` entries.
fn narrow<T: Copy>(entries: &[T], width: usize, used: usize) -> Vec<T> {
    entries
        .chunks_exact(width.max(1))
        .flat_map(|vertex| vertex.iter().take(used).copied())
        .collect()
}

fn tell(repairs: &Repairs, pointer: &str, warnings: &mut Warnings) {
    let told = [
        (
            repairs.rescaled,
            "W-WEIGHTS-RESCALED",
            "vertices had weights that do not sum to 1; they were rescaled",
        ),
        (
            repairs.zero,
            "W-WEIGHTS-ZERO",
            "vertices have no weight; they follow the first joint they name",
        ),
        (
            repairs.negative,
            "W-WEIGHTS-NEGATIVE",
            "vertices had negative weights; those count as zero",
        ),
        (
            repairs.unused_joint,
            "W-JOINT-UNUSED",
            "joint indices past the end have weight zero; they are ignored",
        ),
    ];
    for (count, code, message) in told {
        if count > 0 {
            warnings.add(code, pointer, format!("{count} {message}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(joints: &[u32], weights: &[f32]) -> (Result<Influences>, Vec<&'static str>) {
        let sets = Sets {
            joints: joints.chunks(4).map(<[u32]>::to_vec).collect(),
            weights: weights.chunks(4).map(<[f32]>::to_vec).collect(),
        };
        let mut warnings = Warnings::default();
        let influences = merge(&sets, 1, 3, "/p", &mut warnings);
        (
            influences,
            warnings.list.iter().map(|warning| warning.code).collect(),
        )
    }

    #[test]
    fn all_sets_are_merged_sorted_and_cut_to_what_is_used() {
        let (influences, codes) = check(
            &[0, 1, 0, 0, 2, 0, 0, 0],
            &[0.25, 0.0, 0.0, 0.0, 0.75, 0.0, 0.0, 0.0],
        );
        let influences = influences.expect("valid");
        assert_eq!(influences.per_vertex, 2);
        assert_eq!(influences.joints, [2, 0]);
        assert_eq!(influences.weights, [0.75, 0.25]);
        assert!(codes.is_empty());
    }

    #[test]
    fn repairs_are_told() {
        let cases = [
            ([0.25, 0.25, 0.0, 0.0], [0.5, 0.5], "W-WEIGHTS-RESCALED"),
            ([0.0, 0.0, 0.0, 0.0], [1.0, 0.0], "W-WEIGHTS-ZERO"),
            ([0.75, 0.25, -0.5, 0.0], [0.75, 0.25], "W-WEIGHTS-NEGATIVE"),
        ];
        for (given, expected, code) in cases {
            let (influences, codes) = check(&[0, 1, 2, 2], &given);
            let influences = influences.expect(code);
            assert_eq!(
                influences.weights,
                expected[..influences.per_vertex],
                "{code}"
            );
            assert_eq!(codes, [code]);
        }
    }

    #[test]
    fn a_joint_past_the_end_is_refused_only_where_it_pulls() {
        let (influences, codes) = check(&[0, 9, 0, 0], &[1.0, 0.0, 0.0, 0.0]);
        assert_eq!(influences.expect("weight zero").joints, [0]);
        assert_eq!(codes, ["W-JOINT-UNUSED"]);
        let (influences, _) = check(&[0, 9, 0, 0], &[0.5, 0.5, 0.0, 0.0]);
        assert_eq!(influences.expect_err("weight").code, "E-JOINT-INDEX");
    }
}
