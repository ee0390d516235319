//! The scripts' parts of a step.
//!
//! update: on_start of new actors, due messages, timers, coroutines, on_input, on_update, on_stop; each by actor, then
//! by the order of its scripts. react: this step's animation events in their order, on_late_update, on_stop.

use sinew_world::{Actor, ActorId, Behaviour, Data, Due, Kept, Message, World};

use crate::{
    api::{Ask, release},
    callbacks::Callback,
    host::{Place, Script, ScriptHost},
    language::{Waiting, Wake},
    stage::Lent,
    value::Value,
};

impl Behaviour for ScriptHost {
    fn update(&mut self, world: &mut World, dt: f32) {
        let _lent = Lent::new(&self.stage.clone(), world);
        self.begin_budgets();
        self.follow_actors();
        let mut places = std::mem::take(&mut self.places);
        self.places_into(&mut places);
        // What is due is known before anything runs: what this update sends and starts comes later.
        let (messages, timers) = {
            let world = &mut self.stage.lock().world;
            (
                world.messages.take_due(),
                world.timers.take_due(f64::from(dt)),
            )
        };
        self.start_new(&places);
        self.deliver(messages);
        self.run_timers(timers);
        self.run_tasks();
        self.tell_input(&places);
        self.for_living(&places, Callback::Update, &[Value::Number(f64::from(dt))]);
        self.places = places;
        self.stop_dying();
    }

    fn fixed_update(&mut self, world: &mut World, dt: f32) {
        let wanted = |script: &Script| {
            let callbacks = script.summary.as_ref().map(|summary| &summary.callbacks);
            callbacks.is_some_and(|callbacks| callbacks[Callback::FixedUpdate as usize].is_some())
        };
        if !self.scripts.iter().any(wanted) {
            return;
        }
        let _lent = Lent::new(&self.stage.clone(), world);
        let mut places = std::mem::take(&mut self.places);
        self.places_into(&mut places);
        self.for_living(
            &places,
            Callback::FixedUpdate,
            &[Value::Number(f64::from(dt))],
        );
        self.places = places;
    }

    fn pose(&mut self, _world: &mut World) {}

    fn react(&mut self, world: &mut World, dt: f32) {
        let _lent = Lent::new(&self.stage.clone(), world);
        self.tell_events();
        let mut places = std::mem::take(&mut self.places);
        self.places_into(&mut places);
        self.for_living(
            &places,
            Callback::LateUpdate,
            &[Value::Number(f64::from(dt))],
        );
        self.places = places;
        self.stop_dying();
    }

    fn kept(&self, _world: &World) -> Vec<Kept> {
        self.kept_data()
    }
}

impl ScriptHost {
    fn alive(&self, place: Place) -> bool {
        let Some((scripts, _)) = self.at(place) else {
            return false;
        };
        self.is_alive(scripts.id)
    }

    fn is_alive(&self, id: ActorId) -> bool {
        self.stage
            .lock()
            .world
            .actors
            .get(id)
            .is_some_and(|actor| actor.alive)
    }

    /// A callback for every living actor whose script has started.
    fn for_living(&mut self, places: &[Place], callback: Callback, arguments: &[Value<'_>]) {
        for &place in places {
            let wanted = self.at(place).is_some_and(|(scripts, instance)| {
                let summary = self.scripts[instance.script].summary.as_ref();
                instance.started
                    && summary.is_some_and(|summary| summary.has(callback))
                    && self.is_alive(scripts.id)
            });
            if wanted {
                self.callback(place, callback, arguments);
            }
        }
    }

    /// The place of an actor's script.
    fn place_of(&self, actor: ActorId, order: usize) -> Option<Place> {
        let place = Place {
            actor: actor.index as usize,
            order,
        };
        self.at(place)
            .filter(|(scripts, _)| scripts.id == actor)
            .map(|_| place)
    }

    pub(crate) fn start_new(&mut self, places: &[Place]) {
        for &place in places {
            let new = self
                .at(place)
                .is_some_and(|(_, instance)| !instance.started && instance.number.is_some());
            if !new || !self.alive(place) {
                continue;
            }
            if let Some(scripts) = &mut self.actors[place.actor] {
                scripts.instances[place.order].started = true;
            }
            self.callback(place, Callback::Start, &[]);
        }
    }

    fn deliver(&mut self, messages: Vec<Message>) {
        for message in messages {
            if !self.is_alive(message.to) {
                continue;
            }
            let sender = message.from.map_or(Value::Nil, Value::Actor);
            let arguments = [Value::Text(&message.name), Value::of(&message.data), sender];
            let mut order = 0;
            while let Some(place) = self.place_of(message.to, order) {
                self.callback(place, Callback::Message, &arguments);
                order += 1;
            }
        }
    }

    fn run_timers(&mut self, timers: Vec<Due>) {
        for timer in timers {
            if let (true, Some(place)) = (
                self.is_alive(timer.actor),
                self.place_of(timer.actor, usize::from(timer.script)),
            ) {
                self.named(place, &timer.name);
            }
        }
    }

    fn run_tasks(&mut self) {
        let clock = self.stage.lock().world.clock;
        let due = |waiting: &Waiting| match waiting.wake {
            Wake::Time(time) => clock.time >= time,
            Wake::Frame(frame) => clock.frame >= frame,
        };
        let mut tasks: Vec<Waiting> = self.waiting().into_iter().filter(due).collect();
        tasks.sort_by_key(|task| (task.actor, task.script, task.id));
        for task in tasks {
            match self.place_of(task.actor, usize::from(task.script)) {
                Some(place) if self.is_alive(task.actor) => {
                    self.run(place, "a coroutine", |vm, _| vm.resume(task.id).map(|_| ()));
                }
                _ => {
                    self.cancel_tasks(|waiting| waiting.id == task.id);
                }
            }
        }
        self.tell_failed_tasks();
    }

    /// Errors of coroutines that failed before they first waited.
    fn tell_failed_tasks(&mut self) {
        let vms = self
            .modules
            .iter_mut()
            .flat_map(|module| module.vms.iter_mut().flatten());
        let failed: Vec<_> = vms.flat_map(|vm| vm.take_failed()).collect();
        for (actor, order, failure) in failed {
            if let Some((place, script)) = self
                .place_of(actor, usize::from(order))
                .and_then(|place| Some((place, self.at(place)?.1.script)))
            {
                self.fail(place, "a coroutine", script, failure);
            }
        }
    }

    pub(crate) fn waiting(&self) -> Vec<Waiting> {
        let vms = self
            .modules
            .iter()
            .flat_map(|module| module.vms.iter().flatten());
        vms.flat_map(|vm| vm.waiting()).collect()
    }

    /// Drops coroutines and lets go what they had asked for; gives their number.
    pub(crate) fn cancel_tasks(&mut self, which: impl Fn(&Waiting) -> bool) -> usize {
        let cancelled: Vec<u64> = self
            .waiting()
            .iter()
            .filter(|waiting| which(waiting))
            .map(|waiting| waiting.id)
            .collect();
        for vm in self
            .modules
            .iter_mut()
            .flat_map(|module| module.vms.iter_mut().flatten())
        {
            cancelled.iter().for_each(|&id| vm.cancel(id));
        }
        let mut stage = self.stage.lock();
        let (gone, kept): (Vec<Ask>, _) = std::mem::take(&mut stage.host.asks)
            .into_iter()
            .partition(|ask| cancelled.contains(&ask.task));
        stage.host.asks = kept;
        // The last first: each layer comes to the weight that it had before all of them.
        for ask in gone.iter().rev() {
            release(&mut stage.world, ask);
        }
        cancelled.len()
    }

    fn tell_input(&mut self, places: &[Place]) {
        let edges: Vec<(String, bool, f64)> = {
            let controls = &self.stage.lock().world.controls;
            let edge = |edge: &sinew_world::Edge| {
                let action = controls.actions.get(usize::from(edge.action))?;
                Some((action.name.clone(), edge.pressed, f64::from(edge.value)))
            };
            controls.edges.iter().filter_map(edge).collect()
        };
        if edges.is_empty() {
            return;
        }
        for &place in places {
            for (action, pressed, value) in &edges {
                let arguments = [
                    Value::Text(action),
                    Value::Bool(*pressed),
                    Value::Number(*value),
                ];
                self.for_living(&[place], Callback::Input, &arguments);
            }
        }
    }

    /// Calls a callback of every script of one actor; `more` makes a last argument for those that take it.
    pub(crate) fn tell_actor(
        &mut self,
        actor: ActorId,
        callback: Callback,
        arguments: &[Value<'_>],
        more: &dyn Fn() -> Data,
    ) {
        let mut order = 0;
        while let Some(place) = self.place_of(actor, order) {
            order += 1;
            let started = self.at(place).is_some_and(|(_, instance)| instance.started);
            match self.takes(place, callback).filter(|_| started) {
                Some(taken) if usize::from(taken) > arguments.len() => {
                    let more = more();
                    let mut all = arguments.to_vec();
                    all.push(Value::of(&more));
                    self.callback(place, callback, &all);
                }
                Some(_) => self.callback(place, callback, arguments),
                None => {}
            }
        }
    }

    /// `on_stop` of actors that go at the end of this phase.
    pub(crate) fn stop_dying(&mut self) {
        let is_dying = |actor: Option<&Actor>| actor.is_none_or(|actor| !actor.alive);
        while let Some(actor) = self.first_known(is_dying) {
            self.tell_last_events(actor);
            let count = self.actors[actor]
                .as_ref()
                .map_or(0, |scripts| scripts.instances.len());
            for order in 0..count {
                let place = Place { actor, order };
                if self.at(place).is_some_and(|(_, instance)| instance.started) {
                    self.callback(place, Callback::Stop, &[]);
                }
            }
            self.drop_actor(actor);
        }
    }
}
