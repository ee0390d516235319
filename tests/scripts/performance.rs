//! What a script costs at the border between languages.

use sinew_script::ScriptLanguage;

use super::bench::Bench;
use crate::allocations::measure;

#[test]
fn numbers_vectors_and_handles_cross_into_luau_without_allocation() {
    let mut bench = Bench::hero(
        ScriptLanguage::Lua,
        "local s = {}
         s.graph = graph { parameters = { speed = 0.0, crouched = false } }
         function s:on_start() self.speed = self.actor:parameter_id('speed') self.crouched = self.actor:parameter_id('crouched') self.head = self.actor:find_joint('head') self.sum = vec3(0, 0, 0) end
         function s:on_update(dt)
           local actor = self.actor
           actor:set_float(self.speed, dt)
           actor:set_bool(self.crouched, dt > 1)
           self.sum += actor.position + actor:joint(self.head)
           actor:face(actor.forward * actor:get_float(self.speed), 90)
         end
         return s",
    );
    bench.run(60);
    bench.assert_quiet();
    let (_, usage) = measure(|| bench.run(60));
    bench.assert_quiet();
    assert_eq!(usage.allocations, 0, "{usage:?}");
}
