import { expect, test } from "vitest";

import { serveOnBun } from "./guide/platforms.ts";

test("the documented server on Bun has no idle timeout, which would end calls and streams after 10 s", () => {
  const served: object[] = [];
  serveOnBun({ serve: (options) => served.push(options) });
  expect(served).toEqual([expect.objectContaining({ idleTimeout: 0 })]);
});
