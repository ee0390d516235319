//! Messages between actors' scripts: plain data, delivered at the start of the next update.

use sinew_world::{ActorId, Data, Message};

use super::{ApiError, Call, rows};
use crate::budget;

/// What a message costs, in steps of the budget.
const MESSAGE_STEPS: u64 = 50;

rows! {
    /// Sends a message to this actor: its scripts get `on_message(name, data, sender)` at the start of the next update.
    ///
    /// `data` is copied. Messages arrive by sender, then in the order of sending.
    method "send" send(
        /// What it is about.
        name: &str => "open",
        /// Any plain data.
        data: Data = Data::Nil => Data::Map([("by".to_owned(), Data::Text("hero".to_owned()))].into()),
    ) -> ();
    /// Sends a message to every other actor.
    service("world") "broadcast" broadcast(
        /// What it is about.
        name: &str => "waved",
        /// Any plain data.
        data: Data = Data::Nil => Data::Number(3.0),
    ) -> ();
}

fn send(call: &mut Call<'_>, actor: ActorId, name: &str, data: Data) -> Result<(), ApiError> {
    call.actor(actor)?;
    post(call, actor, name, data)
}

fn broadcast(call: &mut Call<'_>, name: &str, data: Data) -> Result<(), ApiError> {
    let from = call.host.caller.actor;
    let mut ids = Vec::new();
    call.world.actors.ids_into(&mut ids);
    for to in ids.into_iter().filter(|&id| Some(id) != from) {
        post(call, to, name, data.clone())?;
    }
    Ok(())
}

fn post(call: &mut Call<'_>, to: ActorId, name: &str, data: Data) -> Result<(), ApiError> {
    if call.world.messages.is_full() {
        let message = "too many messages wait to be delivered in the next step";
        let help = "does `on_message` answer every message with another one?";
        return Err(ApiError::invalid(message).about("send").help(help));
    }
    budget::charge(MESSAGE_STEPS);
    let from = call.host.caller.actor;
    let name = name.to_owned();
    call.world.messages.send(Message {
        to,
        from,
        name,
        data,
    });
    Ok(())
}
