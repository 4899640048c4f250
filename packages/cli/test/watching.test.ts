import { Server } from "@tenon/mcp/server";
import { expect, test } from "vitest";

import { createWatching } from "../src/serve/watching.ts";

test("clients cannot make a proxy watch more than 1,000 resources at a time", async () => {
  const watched = new Set<string>();
  const watching = createWatching(
    async function* (uri, signal) {
      watched.add(uri);
      yield { uri };
      await new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve());
      });
      watched.delete(uri);
    },
    () => new Server({ name: "proxy", version: "1" }),
    (error) => {
      throw error;
    },
  );
  const uris = (count: number, at = 0): string[] =>
    Array.from({ length: count }, (_, index) => `state://${at + index}`);
  await expect(watching.during(uris(1001), () => Promise.resolve())).rejects.toMatchObject({ code: -32602 });
  expect(watched.size).toBe(0);
  await watching.during(uris(1000), async () => {
    expect(watched.size).toBe(1000);
    await expect(watching.during(uris(1, 5000), () => Promise.resolve())).rejects.toThrow("At most 1000");
    // Those that are watched already cost nothing.
    expect(await watching.during(uris(1000), () => Promise.resolve("shared"))).toBe("shared");
  });
  expect(await watching.during(uris(1, 5000), () => Promise.resolve("room"))).toBe("room");
});
