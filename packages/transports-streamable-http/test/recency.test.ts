import fc from "fast-check";
import { expect, test } from "vitest";

import { Recency, type Ranked } from "../src/server/recency.ts";

interface Member extends Ranked<Member> {
  readonly name: number;
}

test("members are in the order of their last use, like those of a Map that are taken out and added anew", () => {
  const step = fc.record({ kind: fc.constantFrom("touch", "touch", "delete"), name: fc.nat(5) });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const members = [0, 1, 2, 3, 4, 5].map((name): Member => ({
        name,
        older: undefined,
        newer: undefined,
      }));
      const recency = new Recency<Member>();
      const model = new Map<number, undefined>();
      for (const { kind, name } of steps) {
        const member = members[name] as Member;
        model.delete(name);
        if (kind === "touch") {
          recency.touch(member);
          model.set(name, undefined);
        } else {
          recency.delete(member);
        }
        expect([...recency.members()].map((used) => used.name)).toEqual([...model.keys()]);
      }
    }),
  );
});
