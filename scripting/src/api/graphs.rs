//! Which graph an actor plays, and its states at once: without fades, from the start.

use sinew_world::{ActorId, Motion, RootMode};

use super::{ApiError, Call, playback::state_index, rows};
use crate::{graph_value, value::GraphSource};

rows! {
    /// Gives the actor a graph: states and parameters of the same names go on, and the pose does not jump.
    method "set_graph" set_graph(
        /// What `graph` or `graph.load` gave, or the path of an `.animgraph.json`.
        graph: GraphSource<'_> => "stand.animgraph.json",
    ) -> ();
    /// Takes the actor's graph away: it shows its rest pose until it plays something else.
    method "clear_graph" clear_graph() -> ();
    /// Begins the whole graph again: every layer in its entry state, parameters at their defaults, slots empty.
    method "reset" reset() -> ();
    /// Puts a layer into a state at once: no fade, no event, and nothing of it moves the actor.
    method "force_state" force_state(
        /// Name of the state.
        state: &str => "wave",
    ) options {
        /// Layer of the state; the base layer unless given.
        layer: Option<&str> => "upper",
    } -> ();
    /// Keeps the pose that the actor shows under a name of the graph's `pose = "..."` motions, which show it from now on.
    method "keep_pose" keep_pose(
        /// The name.
        name: &str => "frozen",
    ) -> ();
}

fn set_graph(call: &mut Call<'_>, actor: ActorId, graph: GraphSource<'_>) -> Result<(), ApiError> {
    let read;
    let graph = match graph {
        GraphSource::Path(path) => {
            read = graph_value::read(call, path)?;
            &read
        }
        GraphSource::Graph(graph) => graph,
    };
    let set = call.world.set_motion(actor, graph.motion());
    set.map_err(|error| {
        let mut error = ApiError::from(error);
        if error.token.is_none() {
            error = error.about("set_graph");
        }
        error
    })?;
    // What is to be told of a file was told when it was compiled.
    if graph.file.is_none() {
        for mut warning in call.world.graph_warnings(actor) {
            let line = graph.line;
            warning.notes.push(format!(
                "a script of `{}` wrote this graph in line {line}",
                graph.space
            ));
            call.world.remark(warning);
        }
    }
    Ok(())
}

fn clear_graph(call: &mut Call<'_>, actor: ActorId) -> Result<(), ApiError> {
    Ok(call.world.set_motion(actor, Motion::Rest)?)
}

fn reset(call: &mut Call<'_>, actor: ActorId) -> Result<(), ApiError> {
    call.animation(actor)?;
    call.world
        .close_windows(actor, sinew_anim::EndReason::Interrupted);
    let animation = call.animation_mut(actor)?;
    animation.state.reset(&animation.graph);
    Ok(())
}

fn force_state(
    call: &mut Call<'_>,
    actor: ActorId,
    state: &str,
    layer: Option<&str>,
) -> Result<(), ApiError> {
    let layer = call.layer(actor, layer)?;
    let [machine, index] = state_index(call, actor, layer, state)?;
    let animation = call.animation_mut(actor)?;
    if animation.graph.layers[usize::from(layer)].machine != machine {
        let message =
            format!("`{state}` is inside another state; only the layer's own can be forced");
        return Err(ApiError::invalid(message).about(state));
    }
    animation.state.force_state(&animation.graph, layer, index);
    Ok(())
}

fn keep_pose(call: &mut Call<'_>, actor: ActorId, name: &str) -> Result<(), ApiError> {
    let graph = &call.animation(actor)?.graph;
    let Some(index) = graph.pose(name) else {
        return Err(call.graph_lacks(actor, graph, "pose", name, graph.poses.iter()));
    };
    let animation = call.animation_mut(actor)?;
    if animation.root_mode == RootMode::Off {
        // What is shown has root motion in it.
        let mut pose = sinew_anim::Pose::default();
        let mut scratch = sinew_anim::Scratch::default();
        let (graph, state) = (&animation.graph, &mut animation.state);
        sinew_anim::evaluate(graph, state, false, &mut scratch, &mut pose);
        state.keep_pose(index, &pose);
    } else {
        animation.state.keep_pose(index, &animation.pose);
    }
    Ok(())
}
