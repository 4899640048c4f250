import { Roster } from "@tenon/base";
import fc from "fast-check";
import { expect, test } from "vitest";

test("a roster has who was added and has not left, each once", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(7)), { maxLength: 60 }), (steps) => {
      const people = Array.from({ length: 8 }, (_, name) => ({ name, place: -1 }));
      const roster = new Roster<{ name: number; place: number }>();
      const model = new Set<number>();
      for (const [adds, index] of steps) {
        const member = people[index];
        if (member !== undefined) {
          if (adds) {
            roster.add(member);
            model.add(index);
          } else {
            roster.delete(member);
            model.delete(index);
          }
        }
        expect(roster.size).toBe(model.size);
        expect(roster.members().map(({ name }) => name)).toEqual(expect.arrayContaining([...model]));
      }
    }),
  );
});
