-- The player's character: locomotion, jump, wave, footsteps, a look at the companion.
local hero = {}

hero.properties = {
  walk_speed = { value = 1.2, min = 0, max = 3, unit = "m/s" },
  run_speed  = { value = 3.2, min = 2, max = 7, unit = "m/s" },
  jump_speed = { value = 3.6, min = 0, max = 9, unit = "m/s" },
  crouch     = { value = 0.3, min = 0, max = 1, unit = "s", hint = "from the key to the leap, when standing" },
  footsteps  = { value = true, hint = "draw a ring at every step" },
}

hero.graph = graph {
  parameters = {
    speed    = { type = "float", source = "speed" },      -- fed by the engine: what was achieved, not what was asked
    grounded = { type = "bool", source = "grounded" },
    jump     = { type = "trigger", ttl = 0.15 },          -- a press just before landing still counts
  },
  root = { joint = "root", axes = "planar" },
  layers = {
    { name = "base", entry = "move",
      states = {
        move = { blend = "speed", sync_group = "feet", rate = "distance",
                 points = { { at = 0.0, clip = "idle" }, { at = 1.2, clip = "walk" }, { at = 3.2, clip = "run" } } },
        jump = { clip = "jump_start", mode = "once", speed = 1.6 },
        fall = { clip = "fall" },
        land = { clip = "land", mode = "once" },
      },
      transitions = {
        { from = "move", to = "jump", when = "jump and grounded and speed < 0.5", duration = 0.10 },
        { name = "stride", from = "move", to = "jump", when = "jump and grounded and speed >= 0.5", duration = 0.12, offset = 0.6 },
        { from = "jump", to = "fall", exit_time = 1.0, duration = 0.15 },
        { from = "move", to = "fall", when = "not grounded", duration = 0.25, priority = -1 },
        { from = "fall", to = "move", when = "grounded and speed > 0.5", duration = 0.2 },
        { from = "fall", to = "land", when = "grounded", duration = 0.08, priority = -1 },
        { from = "land", to = "move", exit_time = 0.6, duration = 0.25 },
      } },
    { name = "upper", entry = "none", mask = "spine+", weight = 0.0,
      states = { none = { rest = true }, wave = { clip = "wave", mode = "once" }, reach = { clip = "reach", mode = "once" } } },
  },
  chains = { arm_r = { kind = "two_bone", joints = { "upperArm_R", "lowerArm_R", "hand_R" } } },
  look_at = { chain = { "upperChest", "neck", "head" }, max_yaw = 70, max_pitch = 40, speed = 240 },
}

function hero:on_start()
  self.actor:set_root_motion("report")                   -- taken out of the clips; this script moves the actor
  camera.follow(self.actor, { distance = 4.5, height = 1.25 })
end

function hero:on_update(dt)
  local wish = input.vector("move")                       -- camera-relative, length at most 1
  local top = if input.held("run") then self.props.run_speed else self.props.walk_speed
  self.going = smooth(self.going or vec3(0, 0, 0), wish * top, 0.06, dt)   -- a body takes a moment to set off and to stop
  self.actor:move(self.going)
  if length(wish) > 0.05 then self.actor:face(wish, 540) end
  local companion = world.find("companion")
  local to = if companion then companion.position - self.actor.position else vec3(0, 0, 0)
  if companion and length(to) < 6 and dot(to, self.actor.forward) > 0 then
    self.actor:look_at(companion, { seconds = 0.3 })
  else
    self.actor:look_at(nil, { seconds = 0.5 })
  end
end

function hero:on_input(action, pressed)
  if not pressed then return end
  if action == "jump" then
    self.actor:set_trigger("jump")
  elseif action == "wave" then
    self.actor:set_layer_weight("upper", 1.0, 0.2)
    self.actor:play("wave", { layer = "upper", restart = true })
    world.broadcast("waved", { at = self.actor.position })
  end
end

function hero:on_animation_event(name, value)
  if not self.props.footsteps then return end
  local foot = if name == "footstep_l" then "foot_L" elseif name == "footstep_r" then "foot_R" else nil
  if foot then
    local at = self.actor:joint(foot)
    draw.ring(at, 0.15 + 0.1 * value, { seconds = 0.6, color = "gold" })
    sound.play("step", { at = at, volume = 0.3 + 0.2 * value, pitch = random.float(0.95, 1.05) })
  end
end

function hero:on_state_enter(layer, state)
  if state ~= "jump" then return end
  local running = length(self.actor.velocity) > 0.5       -- then the clip begins at its end, with the push
  after(if running then 0.05 else self.props.crouch, "leap")
end

function hero:leap()
  self.actor:jump(self.props.jump_speed)                  -- the clip crouches first; the feet leave the ground here
end

function hero:on_animation_finished(layer, state)
  if layer == "upper" and state == "wave" then self.actor:set_layer_weight("upper", 0.0, 0.3) end
end

return hero
