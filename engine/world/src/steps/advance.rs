//! Clocks, transitions, events and root motion of every graph, in parallel.
//!
//! reads: parameters, tweens, what movement achieved in the last step. writes: graph states, root motion, `world.events`,
//! where it is asked for what each graph was about to do.

use sinew_anim::{Graph, GraphState, ParameterKind, ParameterSource, Scratch};

use crate::{Actor, Event, Tween, World};

pub(super) fn run(world: &mut World, dt: f32) {
    let explain = world.explain;
    world.jobs.for_each(&mut world.actors, |actor, scratch| {
        advance_actor(actor, scratch, dt, explain);
    });
    world.events.clear();
    for actor in world.actors.iter() {
        let Some(animation) = &actor.animation else {
            continue;
        };
        let events = animation.advanced.events.iter();
        world.events.extend(events.map(|&event| Event {
            actor: actor.id,
            event,
        }));
        world.events_lost += u64::from(animation.advanced.events_lost);
    }
}

fn advance_actor(actor: &mut Actor, scratch: &mut Scratch, dt: f32, explain: bool) {
    let Some(animation) = &mut actor.animation else {
        return;
    };
    let (graph, state) = (&*animation.graph, &mut animation.state);
    run_tweens(&mut actor.tweens, graph, state, dt);
    for (index, parameter) in graph.parameters.iter().enumerate() {
        let index = index as u16;
        // A parameter that the engine feeds has a fitting kind since the graph was compiled.
        let _ = match (parameter.source, parameter.kind) {
            (Some(ParameterSource::Speed), ParameterKind::Float) => {
                let velocity = actor.velocity_world;
                state.set_float(graph, index, velocity.x.hypot(velocity.z))
            }
            (Some(ParameterSource::VerticalSpeed), ParameterKind::Float) => {
                state.set_float(graph, index, actor.velocity_world.y)
            }
            (Some(ParameterSource::YawRate), ParameterKind::Float) => {
                state.set_float(graph, index, actor.yaw_rate.to_degrees())
            }
            (Some(ParameterSource::Grounded), ParameterKind::Bool) => {
                state.set_bool(graph, index, actor.grounded)
            }
            _ => Ok(()),
        };
    }
    if explain {
        let layers = 0..graph.layers.len() as u16;
        animation.explained.clear();
        let layers = layers.flat_map(|layer| sinew_anim::explain(graph, state, layer, dt));
        animation.explained.extend(layers);
    }
    animation.held_morphs.advance(dt);
    sinew_anim::advance(graph, state, dt, scratch, &mut animation.advanced);
    animation.root = animation.advanced.root;
}

fn run_tweens(tweens: &mut Vec<Tween>, graph: &Graph, state: &mut GraphState, dt: f32) {
    tweens.retain_mut(|tween| {
        let value = tween.advance(dt);
        let Some(parameter) = graph.parameter(&tween.parameter) else {
            return false;
        };
        state.set_float(graph, parameter, value).is_ok() && !tween.over()
    });
}
