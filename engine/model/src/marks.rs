//! What can be marked on a clip, held against the clip: the rules that extras and clips files share.

use sinew_anim::{Curve, MAX_MARK_NAME, Marker, Window};

/// Times are written as decimal text: the last key may round below a mark at the end.
const ROUNDING: f32 = 1e-3;

/// A mark that makes sense, and what was done to make it fit its clip.
pub(crate) struct Fitted<T> {
    pub(crate) mark: T,
    /// What to tell, where a time was moved into the clip.
    pub(crate) moved: Option<String>,
}

/// A marker in a clip of `duration` seconds; a time outside is moved to the nearer end.
///
/// # Errors
/// What it must be and is not.
pub(crate) fn marker(
    name: String,
    time: f32,
    value: f32,
    duration: f32,
) -> Result<Fitted<Marker>, String> {
    check_name(&name)?;
    check_finite([time, value])?;
    let (time, outside) = into_clip(time, duration);
    let moved = outside.then(|| {
        format!(
            "marker `{name}` lies outside of its clip of {duration} s; it was moved to {time} s"
        )
    });
    Ok(Fitted {
        mark: Marker { name, time, value },
        moved,
    })
}

/// A window in a clip of `duration` seconds; times outside are moved to the nearer end.
///
/// # Errors
/// What it must be and is not.
pub(crate) fn window(
    name: String,
    begin: f32,
    end: f32,
    duration: f32,
) -> Result<Fitted<Window>, String> {
    check_name(&name)?;
    check_finite([begin, end])?;
    if begin > end {
        return Err(format!(
            "window `{name}` ends at {end} s, before it begins at {begin} s"
        ));
    }
    let (begin, begins_outside) = into_clip(begin, duration);
    let (end, ends_outside) = into_clip(end, duration);
    let moved = (begins_outside || ends_outside).then(|| {
        format!(
            "window `{name}` reaches out of its clip of {duration} s; it is now {begin} to {end} s"
        )
    });
    Ok(Fitted {
        mark: Window { name, begin, end },
        moved,
    })
}

/// A curve. Its keys may lie outside of the clip, since what is before and after is held.
///
/// # Errors
/// What it must be and is not.
pub(crate) fn curve(name: String, keys: Vec<[f32; 2]>) -> Result<Curve, String> {
    check_name(&name)?;
    if keys.is_empty() {
        return Err(format!("curve `{name}` has no keys"));
    }
    check_finite(keys.iter().flatten().copied())?;
    match keys.windows(2).position(|pair| pair[0][0] >= pair[1][0]) {
        None => Ok(Curve { name, keys }),
        Some(key) => Err(format!(
            "key {} of curve `{name}` at {} s does not come after key {key} at {} s",
            key + 1,
            keys[key + 1][0],
            keys[key][0]
        )),
    }
}

fn check_name(name: &str) -> Result<(), String> {
    if (1..=MAX_MARK_NAME).contains(&name.len()) {
        return Ok(());
    }
    Err(format!(
        "a name has 1 to {MAX_MARK_NAME} bytes, this one has {}",
        name.len()
    ))
}

fn check_finite(numbers: impl IntoIterator<Item = f32>) -> Result<(), String> {
    if numbers.into_iter().all(f32::is_finite) {
        return Ok(());
    }
    Err("a number is too large".to_owned())
}

/// The time inside of the clip, and whether it had to be moved by more than what rounding does.
fn into_clip(time: f32, duration: f32) -> (f32, bool) {
    let inside = (-ROUNDING..=duration + ROUNDING).contains(&time);
    (time.clamp(0.0, duration.max(0.0)), !inside)
}
