import fc from "fast-check";
import { expect, test } from "vitest";

import { Ring } from "../src/ring.ts";

const step = fc.oneof(
  { weight: 40, arbitrary: fc.record({ kind: fc.constant("push" as const), n: fc.nat(3) }) },
  { weight: 30, arbitrary: fc.record({ kind: fc.constant("shift" as const), n: fc.nat(3) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("remove" as const), n: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("clear" as const), n: fc.nat(3) }) },
);

test("a ring does what an array does by push, shift and splice", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: "max" }), (steps) => {
      const ring = new Ring<object>();
      const model: object[] = [];
      for (const { kind, n } of steps) {
        if (kind === "push") {
          for (let count = 0; count <= n; count++) {
            const member = {};
            ring.push(member);
            model.push(member);
          }
        } else if (kind === "shift") {
          expect(ring.shift()).toBe(model.shift());
        } else if (kind === "remove") {
          const member = model[n] ?? {};
          expect(ring.remove(member)).toBe(n < model.length);
          model.splice(n, 1);
        } else {
          expect(ring.clear()).toEqual(model.splice(0));
        }
        expect(ring.size).toBe(model.length);
      }
      expect(ring.clear()).toEqual(model);
    }),
  );
});

test("a ring that was long and is empty again keeps nothing of its members", () => {
  const ring = new Ring<{ n: number }>();
  for (let n = 0; n < 5000; n++) {
    ring.push({ n });
  }
  for (let n = 0; n < 5000; n++) {
    expect(ring.shift()).toEqual({ n });
  }
  expect(ring.shift()).toBeUndefined();
  ring.push({ n: 1 });
  expect(ring.shift()).toEqual({ n: 1 });
});
