//! Sines and the like with the same bits on every platform: those of the standard library are the system's, and differ
//! from one version of it to the next.

/// Sine of an angle in radians.
pub fn sin(x: f32) -> f32 {
    libm::sinf(x)
}

/// Cosine of an angle in radians.
pub fn cos(x: f32) -> f32 {
    libm::cosf(x)
}

/// Angle in radians whose sine is `x`, which is within -1 to 1.
pub fn asin(x: f32) -> f32 {
    libm::asinf(x)
}

/// Angle in radians from the `x` axis to the point `(x, y)`.
pub fn atan2(y: f32, x: f32) -> f32 {
    libm::atan2f(y, x)
}

/// `e` to the power of `x`.
pub fn exp(x: f32) -> f32 {
    libm::expf(x)
}

/// `x` to the power of `y`.
pub fn pow(x: f32, y: f32) -> f32 {
    libm::powf(x, y)
}
