import { expect, test } from "vitest";

import { settledWithin } from "../src/settled-within.ts";

test("a promise may be waited for for ever", async () => {
  let settle = (): void => {};
  const settled = settledWithin(
    new Promise<void>((resolve) => {
      settle = resolve;
    }),
    Infinity,
  );
  // Timers of one duration go off in the order in which they were set, and of Infinity platforms
  // make 1 ms.
  setTimeout(() => settle(), 1);
  expect(await settled).toBe(true);
});
