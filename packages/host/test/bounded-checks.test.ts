import { Lanes } from "@tenon/host";
import { RpcError } from "@tenon/jsonrpc2";
import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { Client, Server } from "@tenon/mcp";
import { bothEras, legacyRevision, modernRevision } from "@tenon/test-support";
import { startLegacyHttp } from "@tenon/test-support/legacy-http";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { expect, onTestFinished, test } from "vitest";

const users = Array.from({ length: 20 }, (_, index) => `user-${index}`);

/** Opens a connection for each user. */
async function connectAll(lanes: Lanes): Promise<void> {
  onTestFinished(() => lanes.close());
  for (const key of users) {
    const caller = { key, session: undefined, inputs: {}, asks: "never" } as const;
    await lanes.view(caller, new AbortController().signal);
  }
}

test("a check asks a bounded number of users that the server refuses, and the next check asks others", async () => {
  /** The sessions that were checked, in order. */
  const checked: number[] = [];
  let accepted = -1;
  const old = await startLegacyHttp({}, ({ method, session }) => {
    if (method !== "ping") {
      return undefined;
    }
    checked.push(session);
    return session === accepted ? {} : 403;
  });
  onTestFinished(() => old[Symbol.asyncDispose]());
  const lanes = new Lanes({
    connect: () =>
      new Client({ name: "proxy", version: "1.0.0" }, { revisions: [legacyRevision] }).connect(
        new StreamableClientTransport(old.url),
      ),
  });
  await connectAll(lanes);
  for (let check = 1; check <= 3; check++) {
    await expect(lanes.recover()).rejects.toMatchObject({ status: 403 });
    expect(checked).toHaveLength(8 * check);
  }
  expect(new Set(checked).size).toBe(users.length);
  // The server accepts the user that would be checked last.
  accepted = checked.at(-1) ?? -1;
  await expect(lanes.recover()).rejects.toMatchObject({ status: 403 });
  await expect(lanes.recover()).rejects.toMatchObject({ status: 403 });
  expect(await lanes.recover()).toBe(false);
  // It decides the next check, too.
  checked.length = 0;
  expect(await lanes.recover()).toBe(false);
  expect(checked).toEqual([accepted]);
});

test("a check begins with no further connection after 10 seconds, and the next check does", async () => {
  const clock = createVirtualClock();
  const checked: number[] = [];
  const slow = await startLegacyHttp({}, ({ method, session }) => {
    if (method !== "ping") {
      return undefined;
    }
    checked.push(session);
    clock.advance(10_001);
    return 403;
  });
  onTestFinished(() => slow[Symbol.asyncDispose]());
  const lanes = new Lanes({
    clock,
    connect: () =>
      new Client({ name: "proxy", version: "1.0.0" }, { revisions: [legacyRevision] }).connect(
        new StreamableClientTransport(slow.url),
      ),
  });
  await connectAll(lanes);
  await expect(lanes.recover()).rejects.toMatchObject({ status: 403 });
  await expect(lanes.recover()).rejects.toMatchObject({ status: 403 });
  expect(checked).toEqual([0, 1]);
});

test("a modern server in the place of a legacy one is found after a bounded number of checks, and ends the connections of all users", async () => {
  let checks = 0;
  let open = 0;
  const [old, modern] = bothEras.map(
    (revision) =>
      new Server({ name: "behind", version: "1.0.0" }, { revisions: [revision], onError: () => {} }),
  ) as [Server, Server];
  old.addReceivingMiddleware((next) => (request) => {
    if (request.method === "ping") {
      checks++;
      throw new RpcError(-32_602, "Rejected.");
    }
    return next(request);
  });
  let server = old;
  const lanes = new Lanes({
    async connect() {
      const [here, there] = createInMemoryTransports();
      await server.connect(there);
      const session = await new Client({ name: "proxy", version: "1.0.0" }).connect(here);
      open++;
      void session.closed.then(() => open--);
      return session;
    },
  });
  await connectAll(lanes);
  expect(open).toBe(users.length);
  server = modern;
  expect(await lanes.recover()).toBe(true);
  expect(checks).toBeLessThanOrEqual(8);
  await expect.poll(() => open).toBe(1);
  expect([lanes.size, lanes.shared?.session.revision]).toEqual([1, modernRevision]);
});
