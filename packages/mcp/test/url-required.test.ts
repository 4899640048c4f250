import { RpcError } from "@tenon/jsonrpc2";
import {
  McpErrorCode,
  requiredUrlElicitations,
  urlElicitationRequired,
  type ClientOptions,
  type Server,
} from "@tenon/mcp";
import type { ElicitRequestURLParams } from "@tenon/protocol";
import { legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { connectPair, textOf } from "./pair.ts";

const pages = [
  { mode: "url", message: "Connect your calendar", url: "https://example.com/connect?to=calendar" },
  { mode: "url", message: "Agree to the terms", url: "https://example.com/terms", elicitationId: "terms-1" },
] as const;

/**
 * A tool that goes on once the pages have been opened, and a resource and a prompt that never do.
 */
function needsPages(server: Server): void {
  server.addTool({ name: "t" }, (_, ctx) =>
    ctx.inputResponses === undefined
      ? urlElicitationRequired(ctx, pages)
      : JSON.stringify(ctx.inputResponses),
  );
  server.addPrompt({ name: "p" }, (_, ctx) => urlElicitationRequired(ctx, pages));
  server.addResource({ uri: "notes://1", name: "one" }, (_, ctx) => urlElicitationRequired(ctx, pages));
}

const opened: ElicitRequestURLParams[] = [];
const withPages: ClientOptions = {
  elicitation: {
    url: (params) => {
      opened.push(params);
      return { action: "accept" };
    },
  },
};

test("in 2025-11-25 the request fails with -32042 that names the pages, each with an id, and the client recognises it (R-632, R-659)", async () => {
  await using pair = await connectPair({ revision: "2025-11-25", client: withPages }, needsPages);
  const failures = [
    pair.session.callTool({ name: "t" }),
    pair.session.getPrompt({ name: "p" }),
    pair.session.readResource({ uri: "notes://1" }),
  ];
  for (const failing of failures) {
    const error = await failing.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ code: McpErrorCode.UrlElicitationRequired });
    const [calendar, terms] = requiredUrlElicitations(error) ?? [];
    expect(calendar).toEqual({
      ...pages[0],
      elicitationId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    });
    expect(terms).toEqual(pages[1]);
  }
  expect(opened).toEqual([]);
});

test("in 2026-07-28 the pages are the input that the request needs, without ids and without that error (R-118, R-628)", async () => {
  await using pair = await connectPair({ revision: "2026-07-28", client: withPages }, needsPages);
  const result = await pair.session.callTool({ name: "t" });
  expect(JSON.parse(textOf(result))).toEqual({
    "url-1": { action: "accept" },
    "url-2": { action: "accept" },
  });
  const { elicitationId: _, ...terms } = pages[1];
  expect(opened).toEqual([pages[0], terms]);
});

test("a client that cannot open pages is answered as for any other question that it has not declared (R-143)", async () => {
  await using modern = await connectPair({ revision: "2026-07-28" }, needsPages);
  await expect(modern.session.callTool({ name: "t" })).rejects.toMatchObject({
    code: -32021,
    data: { requiredCapabilities: { elicitation: { url: {} } } },
  });
  for (const revision of ["2024-11-05", "2025-06-18", "2025-11-25"] as const) {
    const client: ClientOptions = { elicitation: { form: () => ({ action: "cancel" }) } };
    await using legacy = await connectPair({ revision, client }, needsPages);
    expect(await legacy.session.callTool({ name: "t" })).toMatchObject({ isError: true });
    await expect(legacy.session.getPrompt({ name: "p" })).rejects.toMatchObject({ code: -32603 });
  }
});

test("pages that are none are refused before anything is sent", async () => {
  const client = { info: undefined, capabilities: { elicitation: { url: {} } } };
  for (const wrong of [[], [{ mode: "url", message: "m", url: "/relative" }] as const]) {
    const attempt = (): unknown => urlElicitationRequired({ revision: legacyRevision, client }, wrong);
    expect(attempt).toThrow(expect.objectContaining({ code: "INVALID_DEFINITION" }));
  }
});

test.each([
  [new Error("no")],
  [new RpcError(-32042, "no")],
  [new RpcError(-32042, "no", { data: { elicitations: [] } })],
  [new RpcError(-32042, "no", { data: { elicitations: [{ ...pages[1], url: "nowhere" }] } })],
  [new RpcError(-32042, "no", { data: { elicitations: [pages[0]] } })],
  [new RpcError(-32602, "no", { data: { elicitations: [pages[1]] } })],
])("an error that does not name pages as it has to is none of that kind: %o", (error) => {
  expect(requiredUrlElicitations(error)).toBeUndefined();
});
