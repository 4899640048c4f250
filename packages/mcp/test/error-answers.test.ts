import { connectionClosed, isLocalError, isRpcError, RpcError } from "@tenon/jsonrpc2";
import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { isMcpError } from "@tenon/mcp";
import { eraOf } from "@tenon/protocol";
import { bothEras } from "@tenon/test-support";
import { expect, test, vi } from "vitest";

import { everyRevision } from "./conversation.ts";
import { connectPair } from "./pair.ts";
import { recordEverything } from "./recorded.ts";
import { openServerWire } from "./server-wire.ts";
import { modern, openWire, request } from "./wire.ts";

/**
 * What JSON-RPC and the specification define; 1001 is what a handler of the recorded server throws.
 */
const jsonRpcCodes = [-32_700, -32_600, -32_601, -32_602, -32_603];
const definedCodes = {
  legacy: [...jsonRpcCodes, -32_002, -32_042, 1001],
  modern: [...jsonRpcCodes, -32_020, -32_021, -32_022, 1001],
};

test.each(everyRevision)(
  "a server answers with no code but those that are defined and those of its handlers, in %s (R-115, R-116, R-117)",
  async (revision) => {
    const { server, client } = await recordEverything(revision, { elicitation: undefined });
    const codes = [...server, ...client].flatMap(({ error }) => (error === undefined ? [] : [error.code]));
    const allowed = definedCodes[eraOf(revision) === "modern" ? "modern" : "legacy"];
    expect(codes.filter((code) => !allowed.includes(code))).toEqual([]);
    expect(codes).toContain(1001);
    expect(codes).toContain(-32_602);
  },
);

test.each(bothEras)(
  "the message of an error is one short line, in %s; details are in data (R-109)",
  async (revision) => {
    const { server } = await recordEverything(revision, { elicitation: undefined });
    const messages = server.flatMap(({ error }) => (error === undefined ? [] : [error.message]));
    expect(messages.length).toBeGreaterThan(3);
    for (const message of messages) {
      expect(message).not.toContain("\n");
      expect(message.length).toBeLessThanOrEqual(150);
    }
    const misfits = server.flatMap(
      ({ error }) => (error?.data as { reasons?: string[] } | undefined)?.reasons ?? [],
    );
    expect(misfits).toEqual(expect.arrayContaining(["n: expected integer, received string", "m: missing"]));
  },
);

test.each(bothEras)(
  "a code that is not defined is only passed on, whatever a server means by it, in %s (R-116)",
  async (revision) => {
    await using wire = await openServerWire(revision);
    for (const code of [-32_000, -32_001, -32_010, -32_019, -32_023, -32_099, 7]) {
      const listing = wire.session.listTools().catch((error: unknown) => error);
      const { id } = await wire.next();
      await wire.send({ id, error: { code, message: "because", data: { own: code } } });
      const error = await listing;
      expect(isRpcError(error)).toBe(true);
      expect(error).toMatchObject({ code, message: "because", data: { own: code } });
      expect(wire.session.isClosed).toBe(false);
    }
  },
);

test.each(bothEras)(
  "what fails on this side is no RpcError and has a name for a code, in %s (R-119)",
  async (revision) => {
    const clock = createVirtualClock();
    await using wire = await openServerWire(revision, { clock });
    const timingOut = wire.session.listTools({}, { timeoutMs: 50 }).catch((error: unknown) => error);
    await wire.next();
    clock.advance(50);
    const odd = wire.session.request("subscriptions/none" as "ping").catch((error: unknown) => error);
    const errors = [await timingOut, await odd];
    const lost = wire.session.listTools().catch((error: unknown) => error);
    await wire.session.close({ drainMs: 0 });
    errors.push(await lost);
    expect(errors.map(isRpcError)).toEqual([false, false, false]);
    expect(isLocalError(errors[0], "TIMEOUT")).toBe(true);
    expect(isMcpError(errors[1], "NOT_IN_REVISION")).toBe(true);
    expect(isLocalError(errors[2], "CONNECTION_CLOSED")).toBe(true);
  },
);

test("an RpcError of a server keeps its code even where a local failure has one that sounds alike (R-119)", async () => {
  await using pair = await connectPair({}, (server) => {
    server.addTool({ name: "timeout" }, () => {
      throw new RpcError(-32_001, "Request timed out");
    });
  });
  const error: unknown = await pair.session.callTool({ name: "timeout" }).catch((caught: unknown) => caught);
  expect([isRpcError(error), isLocalError(error)]).toEqual([true, false]);
});

test("a tool that fails because another connection is closed is written to the console by default, with its name", async () => {
  const written = vi.spyOn(console, "error").mockImplementation(() => {});
  const cause = connectionClosed("The other server is gone.");
  await using wire = await openWire({}, (server) => {
    server.addTool({ name: "proxy" }, () => Promise.reject<string>(cause));
  });
  const answer = await wire.ask(request(1, "tools/call", { name: "proxy", _meta: modern }));
  expect(answer).toMatchObject({ result: { isError: true, content: [{ text: "The tool failed." }] } });
  const message = "The tool proxy failed: The other server is gone.";
  expect(written.mock.calls).toEqual([[expect.objectContaining({ message, cause }) as unknown]]);
  written.mockRestore();
});
