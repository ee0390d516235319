-- The player's character: locomotion, strafing, jump, lean, wave, footsteps, a look at the companion.
local hero = {}

hero.properties = {
  walk_speed   = { value = 1.2, min = 0, max = 3, unit = "m/s" },
  run_speed    = { value = 3.2, min = 2, max = 7, unit = "m/s" },
  strafe_speed = { value = 0.6, min = 0, max = 2, unit = "m/s" },
  back_speed   = { value = 0.8, min = 0, max = 2, unit = "m/s" },
  jump_speed   = { value = 3.6, min = 0, max = 9, unit = "m/s" },
  footsteps    = { value = true, hint = "draw a ring at every step" },
}

-- The companion plays the same graph, as JSON: assets/graphs/locomotion.animgraph.json.
hero.graph = graph {
  parameters = {
    speed    = { source = "speed" },                      -- fed by the engine: what was achieved, not what was asked
    turn     = { source = "yaw_rate" },
    grounded = { source = "grounded" },
    ahead    = 0,                                         -- the velocity as the hero sees it
    side     = 0,
    strafing = false,
    lean     = { type = "float", value = 0, min = -1, max = 1 },
    jump     = { type = "trigger", ttl = 0.15 },          -- a press just before landing still counts
  },
  root = { joint = "root", axes = "planar" },
  motions = { stand = { select = "random", children = { { clip = "idle" }, { clip = "idle_look" } } } },
  events = { entry = "inclusive", fade = "both", dedup = true },
  layers = {
    { name = "base", entry = "ground",
      states = {
        ground = { machine = { entry = "move", reenter = "resume",
          states = {
            move = { blend = "speed", rate = "distance", sync_group = "feet",
                     points = { { at = 0, motion = "stand" }, { at = 1.2, clip = "walk" }, { at = 3.2, clip = "run" } } },
            strafe = { blend = { "side", "ahead" }, weights = "polar", rate = "distance", sync_group = "feet",
                       points = { { at = { 0, 0 }, motion = "stand" }, { at = { 0, 1.2 }, clip = "walk" }, { at = { 0, -0.8 }, clip = "walk_back" },
                                  { at = { 0.6, 0 }, clip = "strafe_left" }, { at = { -0.6, 0 }, clip = "strafe_right" } } },
          },
          transitions = {
            { from = "move", to = "strafe", when = "strafing", duration = 0.25, interruption = "live" },
            { from = "strafe", to = "move", when = "not strafing", duration = 0.25, interruption = "live" },
          } } },
        jump = { clip = "jump_start", mode = "once", speed = 1.6, events = { { name = "push", phase = 0.72 } } },
        fall = { clip = "fall" },
        land = { clip = "land", mode = "once" },
      },
      transitions = {
        { from = "ground", to = "jump", when = "jump and grounded and speed < 0.5", duration = 0.1 },
        { name = "stride", from = "ground", to = "jump", when = "jump and grounded and speed >= 0.5", duration = 0.12, offset = 0.6 },
        { from = "jump", to = "fall", exit_time = 1, duration = 0.15 },
        { from = "ground", to = "fall", when = "not grounded", duration = 0.25, priority = -1, interruption = "inertial" },
        { from = "fall", to = "ground", when = "grounded and speed > 0.5", by = "inertial", duration = 0.25 },
        { from = "fall", to = "land", when = "grounded", by = "inertial", duration = 0.12, priority = -1 },
        { from = "land", to = "ground", exit_time = 0.6, by = "inertial", duration = 0.35,
          interrupted_by = { "ground>jump", "stride", "ground>fall" } },
      } },
    { name = "lean", blend = "additive", reference = { clip = "lean_rest" }, weight_parameter = "speed",
      states = { lean = { blend = "lean",                 -- 1 is to the left, as a turn to the left is above 0
        points = { { at = -1, clip = "lean_right" }, { at = 0, clip = "lean_rest" }, { at = 1, clip = "lean_left" } } } } },
  },
  slots = { upper = { after = "base", mask = "spine+" } },
  chains = { arm_r = { kind = "two_bone", joints = { "upperArm_R", "lowerArm_R", "hand_R" } } },
  look_at = { chain = { "upperChest", "neck", "head" }, max_yaw = 70, max_pitch = 40, speed = 240 },
}

function hero:on_start()
  self.actor:set_root_motion("report")                   -- taken out of the clips; this script moves the actor
  camera.follow(self.actor, { distance = 4.5, height = 1.25 })
end

function hero:on_update(dt)
  local actor = self.actor
  local ahead = actor.forward
  local left = vec3(ahead.z, 0, -ahead.x)
  local wish = input.vector("move")                       -- camera-relative, length at most 1
  local strafing = input.held("strafe")
  local to = wish * if input.held("run") then self.props.run_speed else self.props.walk_speed
  if strafing then
    local back = dot(wish, ahead) < 0
    to = ahead * dot(wish, ahead) * (if back then self.props.back_speed else self.props.walk_speed) + left * dot(wish, left) * self.props.strafe_speed
  end
  self.going = smooth(self.going or vec3(0, 0, 0), to, 0.06, dt)   -- a body takes a moment to set off and to stop
  actor:move(self.going)
  if length(wish) > 0.05 and not strafing then actor:face(wish, 540) end

  local turn = clamp(actor:get_float("turn") / 360, -1, 1)
  self.lean = smooth(self.lean or 0, turn, 0.1, dt)
  actor:set_params({ strafing = strafing, ahead = dot(actor.velocity, ahead), side = dot(actor.velocity, left), lean = self.lean })

  local companion = world.find("companion")
  local away = if companion then companion.position - actor.position else vec3(0, 0, 0)
  if companion and length(away) < 6 and dot(away, ahead) > 0 then
    actor:look_at(companion, { seconds = 0.3 })
  else
    actor:look_at(nil, { seconds = 0.5 })
  end
end

function hero:on_input(action, pressed)
  if not pressed then return end
  if action == "jump" then
    self.actor:set_trigger("jump")
  elseif action == "wave" then
    self.actor:play_slot("upper", "wave", { fade_out = 0.3 })
    world.broadcast("waved", { at = self.actor.position })
  end
end

function hero:on_animation_event(name, value)
  if name == "push" then                                  -- the clip crouches first; the feet leave the ground here
    self.actor:jump(self.props.jump_speed)
    return
  end
  if not self.props.footsteps then return end
  local foot = if name == "footstep_l" then "foot_L" elseif name == "footstep_r" then "foot_R" else nil
  if foot then
    local at = self.actor:joint(foot)
    draw.ring(at, 0.15 + 0.1 * value, { seconds = 0.6, color = "gold" })
    sound.play("step", { at = at, volume = 0.3 + 0.2 * value, pitch = random.float(0.95, 1.05) })
  end
end

return hero
