import { expect, test } from "vitest";

import { oldestOfLargest } from "../src/lanes/oldest-of-largest.ts";

test("a caller that fills the room of held tasks pushes out its own oldest task, and no other caller's", () => {
  const held: (readonly [string, string])[] = [["of ann", "ann"]];
  for (let count = 0; count < 100; count++) {
    if (held.length >= 10) {
      const gone = oldestOfLargest(held);
      held.splice(
        held.findIndex(([id]) => id === gone),
        1,
      );
    }
    held.push([`${count} of bob`, "bob"]);
  }
  expect(held.map(([id]) => id)).toEqual([
    "of ann",
    ...Array.from({ length: 9 }, (_, index) => `${91 + index} of bob`),
  ]);
  expect(oldestOfLargest([])).toBeUndefined();
});
