//! Random numbers: one seeded stream an actor, so that a run can be repeated.

use sinew_world::Data;

use super::{ApiError, Call, rows};
use crate::value::List;

rows! {
    /// A number from `from` to just under `to`.
    service("random") "float" float(
        /// The lowest.
        from: f64 = 0.0 => 0.5,
        /// The end, never reached.
        to: f64 = 1.0 => 2.0,
    ) -> f64;
    /// A whole number from `from` to `to`, both included.
    service("random") "int" int(
        /// The lowest.
        from: i64 => 1_i64,
        /// The highest.
        to: i64 => 6_i64,
    ) -> i64;
    /// One entry of a list; nothing where the list is empty.
    service("random") "pick" pick(
        /// The list.
        list: List<'_> => Data::List(vec![Data::Text("a".into()), Data::Text("b".into())]),
    ) -> Data;
}

fn float(call: &mut Call<'_>, from: f64, to: f64) -> Result<f64, ApiError> {
    let actor = call.this()?;
    Ok(call.actor_mut(actor)?.random.float(from, to))
}

fn int(call: &mut Call<'_>, from: i64, to: i64) -> Result<i64, ApiError> {
    let actor = call.this()?;
    Ok(call.actor_mut(actor)?.random.int(from, to))
}

fn pick(call: &mut Call<'_>, list: List<'_>) -> Result<Data, ApiError> {
    let Some(last) = list.0.len().checked_sub(1) else {
        return Ok(Data::Nil);
    };
    let index = int(call, 0, last as i64)?;
    Ok(list.0[index as usize].clone())
}
