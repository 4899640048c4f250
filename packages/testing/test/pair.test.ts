import { Server } from "@tenon/mcp";
import { bothEras, deferred } from "@tenon/test-support";
import { describe, expect, it } from "vitest";

import { pair } from "../src/pair.ts";

describe.each(bothEras)("a pair that speaks %s", (revision) => {
  it("calls the tools of the server and keeps every message", async () => {
    const server = new Server({ name: "greeter", version: "1.0.0" });
    server.addTool({ name: "greet" }, () => "Hello!");
    await using connected = await pair(server, { revision });
    expect(connected.session.revision).toBe(revision);
    const { content } = await connected.session.callTool({ name: "greet" });
    expect(content).toMatchObject([{ text: "Hello!" }]);
    expect(connected.wire.at(-1)).toMatchObject({ dir: "read" });
    expect(connected.printWire()).toMatch(/→ .*tools\/call.*\n.*← .*Hello!/);
  });

  it("lets a timeout expire only when the test advances the clock", async () => {
    const server = new Server({ name: "slow", version: "1.0.0" });
    const { promise: started, resolve } = deferred();
    server.addTool({ name: "wait" }, (_, { signal }) => {
      resolve();
      return new Promise((_done, reject) =>
        signal.addEventListener("abort", () => reject(new Error("aborted"))),
      );
    });
    await using connected = await pair(server, { revision });
    const call = connected.session.callTool({ name: "wait" }, { timeoutMs: 60_000 });
    const failed = expect(call).rejects.toThrow();
    await started;
    connected.clock.advance(60_000);
    await failed;
  });
});

it("refuses an option that does not exist", async () => {
  const server = new Server({ name: "any", version: "1.0.0" });
  // @ts-expect-error -- the misuse under test
  await expect(pair(server, { revison: bothEras[0] })).rejects.toThrow("revison");
});
