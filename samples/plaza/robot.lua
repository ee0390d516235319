-- A robot that walks to and fro by its clip's own motion, and waves when somebody comes near.
local robot = {}

robot.properties = {
  near  = { value = 2.5, min = 0, max = 10, unit = "m", hint = "greets whoever is this close" },
  steps = { value = 4.0, min = 1, max = 20, unit = "s", hint = "walks this long before it rests" },
}

robot.graph = graph {
  parameters = { walking = false, greet = "trigger" },
  root = { joint = "Hips", axes = "planar" },
  layers = {
    { name = "base", entry = "idle",
      states = { idle = { clip = "idle" }, walk = { clip = "walk" }, wave = { clip = "wave", mode = "once" } },
      transitions = {
        { from = { "idle", "walk" }, to = "wave", when = "greet", duration = 0.3 },
        { from = "idle", to = "walk", when = "walking", duration = 0.3 },
        { from = "walk", to = "idle", when = "not walking", duration = 0.3 },
        { from = "wave", to = "idle", exit_time = 1.0, duration = 0.3 },
      } },
  },
}

function robot:on_start()
  self.greeted = false
  self.heading = -self.actor.forward
  after(2.0, "walk")
end

function robot:walk()
  self.heading = -self.heading
  self.actor:set_bool("walking", true)
  after(self.props.steps, "rest")
end

function robot:rest()
  self.actor:set_bool("walking", false)
  after(random.float(2.0, 4.0), "walk")
end

function robot:on_update()
  if self.actor:get_bool("walking") then self.actor:face(self.heading, 60) end   -- turns as it walks, never on the spot
  local hero = world.find("hero")
  local near = hero ~= nil and distance(hero.position, self.actor.position) < self.props.near
  if near and not self.greeted then self.actor:set_trigger("greet") end
  self.greeted = near
  if near and self.actor:is_in("wave") then self.actor:face(hero.position - self.actor.position, 90) end
end

function robot:on_message(name)
  if name == "open" then self.actor:set_trigger("greet") end
end

return robot
