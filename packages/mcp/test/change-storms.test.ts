import { createScriptedPeer } from "@tenon/jsonrpc2/testing";
import { Client, isMcpError, type ClientOptions } from "@tenon/mcp";
import { deferred, legacyRevision, modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { macrotask } from "./asking.ts";
import { openServerWire, type ServerWire } from "./server-wire.ts";

const capabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
};

const storm = 5000;

/** Lets everything that was sent arrive, and shows that the client still answers. */
async function settled(wire: ServerWire): Promise<void> {
  await wire.send({ id: "there?", method: "ping" });
  expect(await wire.next()).toMatchObject({ id: "there?", result: {} });
  await macrotask();
}

test(`of ${storm} list changes during a slow handler one more call comes, and nothing else is lost (T-077)`, async () => {
  const gate = deferred();
  const calls: string[] = [];
  const slow =
    (name: string): (() => Promise<void>) =>
    async () => {
      calls.push(name);
      await gate.promise;
    };
  const options: ClientOptions = {
    onToolsChanged: slow("tools"),
    onPromptsChanged: slow("prompts"),
    onResourceUpdated: async ({ uri }) => slow(uri)(),
    onLog: ({ data }) => void calls.push(String(data)),
  };
  await using wire = await openServerWire(legacyRevision, options, { ...capabilities, logging: {} });
  const tell = (method: string, params: object = {}): Promise<void> =>
    wire.send({ method: `notifications/${method}`, params });
  for (let i = 0; i < storm; i++) {
    await tell("tools/list_changed");
    await tell("resources/updated", { uri: "memo://1" });
  }
  await tell("prompts/list_changed");
  await tell("resources/updated", { uri: "memo://2" });
  await tell("message", { level: "info", data: "log" });
  await settled(wire);
  expect(calls.splice(0)).toEqual(["tools", "memo://1", "prompts", "memo://2", "log"]);
  gate.resolve(undefined);
  await settled(wire);
  expect(calls.splice(0)).toEqual(["tools", "memo://1"]);
  await tell("tools/list_changed");
  await settled(wire);
  expect(calls).toEqual(["tools"]);
});

test("a handler that rejects is reported, and called again for the change that came meanwhile", async () => {
  const errors: unknown[] = [];
  const first = deferred();
  let calls = 0;
  const options: ClientOptions = {
    onToolsChanged: async () => {
      calls++;
      await first.promise;
      throw new Error(`call ${calls}`);
    },
    onError: (error) => void errors.push(error),
  };
  await using wire = await openServerWire(legacyRevision, options, capabilities);
  await wire.send({ method: "notifications/tools/list_changed" });
  await wire.send({ method: "notifications/tools/list_changed" });
  await settled(wire);
  first.resolve(undefined);
  await settled(wire);
  expect(errors).toMatchObject([{ message: "call 1" }, { message: "call 2" }]);
});

test(`a modern listen calls a slow handler once more for ${storm} changes, too`, async () => {
  const gate = deferred();
  let calls = 0;
  const peer = createScriptedPeer();
  const connecting = new Client(
    { name: "client", version: "1.0.0" },
    {
      revisions: [modernRevision],
      onToolsChanged: async () => {
        calls++;
        await gate.promise;
      },
    },
  ).connect({ connect: async () => peer.connection });
  const supportedVersions = [modernRevision];
  peer.answer(await peer.nextRequest(), { resultType: "complete", supportedVersions, capabilities });
  const listen = await peer.nextRequest();
  const _meta = { "io.modelcontextprotocol/subscriptionId": listen.id };
  const tell = (method: string, params: object): void =>
    peer.send({ jsonrpc: "2.0", method: `notifications/${method}`, params: { ...params, _meta } });
  tell("subscriptions/acknowledged", { notifications: { toolsListChanged: true } });
  await using session = await connecting;
  for (let i = 0; i < storm; i++) {
    tell("tools/list_changed", {});
  }
  const ping = session.ping();
  const request = await peer.nextRequest();
  peer.answer(request, { resultType: "complete", supportedVersions, capabilities });
  await ping;
  expect(calls).toBe(1);
  gate.resolve(undefined);
  await macrotask();
  expect(calls).toBe(2);
});

test("messages that nobody waits for are reported to onError, once per kind (T-075)", async () => {
  const errors: unknown[] = [];
  await using wire = await openServerWire(legacyRevision, { onError: (error) => void errors.push(error) });
  for (let round = 0; round < 3; round++) {
    await wire.send({ id: "made up", result: {} });
    await wire.send({ id: 99, error: { code: 1, message: "no" } });
    await wire.send({ id: `q${round}`, method: "sampling/createMessage", params: {} });
    await wire.next();
    await wire.send({ id: `r${round}`, method: "no/such", params: {} });
    await wire.next();
  }
  expect(errors).toMatchObject([
    {
      code: "UNEXPECTED_MESSAGE",
      message: expect.stringContaining('a response to a request that was never sent: "made up"') as string,
    },
    {
      code: "UNEXPECTED_MESSAGE",
      message: expect.stringContaining('the request "sampling/createMessage"') as string,
    },
  ]);
});

test.each([legacyRevision, modernRevision])(
  "a request that a server sends before its handshake, or after the session was closed, is refused or ignored, in %s (T-075)",
  async (revision) => {
    const peer = createScriptedPeer();
    const errors: unknown[] = [];
    const options = { revisions: [revision], onError: (error: unknown) => void errors.push(error) };
    const client = new Client({ name: "client", version: "1" }, options);
    const connecting = client.connect({ connect: async () => peer.connection });
    const opening = await peer.nextRequest();
    const ask = (id: string, method: string): void => peer.send({ jsonrpc: "2.0", id, method, params: {} });
    ask("early", "sampling/createMessage");
    ask("odd", "no/such");
    for (const id of ["early", "odd"]) {
      expect(await peer.next()).toMatchObject({ id, error: { code: -32601 } });
    }
    ask("ping", "ping");
    expect(await peer.next()).toMatchObject({ id: "ping", result: {} });
    const serverInfo = { name: "s", version: "1" };
    const supported = { supportedVersions: [revision], capabilities: {}, resultType: "complete" };
    peer.answer(opening, { ...supported, protocolVersion: revision, serverInfo });
    const session = await connecting;
    const closing = session.close();
    const before = peer.received.length;
    ask("late", "roots/list");
    await closing;
    expect(session.isClosed).toBe(true);
    for (const message of peer.received.slice(before)) {
      expect(message).not.toHaveProperty("result");
    }
    expect(errors.every((error) => isMcpError(error, "UNEXPECTED_MESSAGE"))).toBe(true);
  },
);

test("a response that comes after its request was given up is not reported", async () => {
  const errors: unknown[] = [];
  await using wire = await openServerWire(legacyRevision, { onError: (error) => void errors.push(error) });
  const controller = new AbortController();
  const pending = wire.session.callTool({ name: "t" }, { signal: controller.signal });
  const { id } = await wire.next();
  controller.abort(new Error("enough"));
  await expect(pending).rejects.toThrow("enough");
  await wire.next();
  await wire.send({ id, result: { content: [] } });
  await settled(wire);
  expect(errors).toEqual([]);
});
