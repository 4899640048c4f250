import { Lanes, type LanesOptions } from "@tenon/host";
import { Client, Server } from "@tenon/mcp";
import { legacyRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test } from "vitest";

import { localServer } from "./fixture.ts";
import { forever, modernCaller, openLanes } from "./open-lanes.ts";

test("lanes whose onEnd throws neither keep other lanes of the session from its end nor hide the error", async () => {
  const server = new Server({ name: "behind", version: "1.0.0" }, { revisions: [legacyRevision] });
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const session = await new Client({ name: "proxy", version: "1.0.0" }).connect(here);
  onTestFinished(() => server.close({ drainMs: 0 }));
  const heard: unknown[] = [];
  const borrowing = (options: Partial<LanesOptions>): Lanes => {
    const lanes = new Lanes({ connect: async () => session, borrowed: true, ...options });
    onTestFinished(() => lanes.close());
    return lanes;
  };
  const first = borrowing({
    onEnd() {
      throw new Error("mine");
    },
    onError: (error) => heard.push(error.message),
  });
  const second = borrowing({ onEnd: () => heard.push("ended") });
  await first.start();
  await second.start();
  await session.close();
  await expect.poll(() => heard).toEqual(["mine", "ended"]);
  expect([first.size, second.size]).toEqual([0, 0]);
});

test("a hook that throws or rejects does not change the error of the caller", async () => {
  const heard: unknown[] = [];
  for (const onUnreachable of [
    () => {
      throw new Error("mine");
    },
    (): unknown => Promise.reject(new Error("mine")),
  ]) {
    const lanes = openLanes(localServer().spec, {
      connect: () => Promise.reject(new Error("refused")),
      onUnreachable,
      onError: (error) => heard.push(error.message),
    });
    await expect(lanes.acquire(modernCaller("ann"), forever, undefined)).rejects.toMatchObject({
      code: -32_603,
      data: { delivered: "no" },
    });
  }
  await expect.poll(() => heard).toEqual(["mine", "mine"]);
});
