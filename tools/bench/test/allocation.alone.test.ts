import { expect, test } from "vitest";

import { allocationLoop } from "../src/loops/allocation.ts";

// The heap of a worker that has run other tests is swept while this one measures.
test("allocation is measured per call, garbage included", async () => {
  let sink: unknown;
  const { bytes = 0 } = await allocationLoop(() => (sink = Array.from({ length: 1000 }, () => 0.5)))();
  expect(sink).toHaveLength(1000);
  expect(bytes).toBeGreaterThan(7000);
  expect(bytes).toBeLessThan(60_000);
});
