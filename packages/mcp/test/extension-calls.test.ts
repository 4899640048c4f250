import { RpcError } from "@tenon/jsonrpc2";
import { defineServerExtension, type ServerExtensionDefinition } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import { expect, onTestFinished, test } from "vitest";

import { connectPair, type Pair } from "./pair.ts";

declare module "@tenon/mcp" {
  interface ToolExtensionOptions {
    /** An option of the extension of these tests. */
    readonly lane?: number | undefined;
  }
}

async function connect(
  { revision }: { readonly revision: Revision },
  setup: ServerExtensionDefinition["setup"],
): Promise<Pair> {
  const extension = defineServerExtension({ id: "com.example/lane", setup });
  const client = { elicitation: "cancel" } as const;
  const pair = await connectPair({ revision, client }, (server) => server.use(extension));
  onTestFinished(() => pair[Symbol.asyncDispose]());
  return pair;
}

test("an extension may send the requests of a method to legacy clients itself", async () => {
  const sent: unknown[] = [];
  const form = { message: "Name?", requestedSchema: { type: "object", properties: {} } } as const;
  const { session } = await connect({ revision: legacyRevision }, (server, host) => {
    host.addCallHook("elicitation/create", async ({ method, params, options, client, send }) => {
      sent.push([
        method,
        params["message"],
        options.timeoutMs,
        client.capabilities.elicitation !== undefined,
      ]);
      await send("ping", {});
      return { action: "decline" };
    });
    expect(() => {
      host.addCallHook("elicitation/create", () => Promise.resolve({}));
    }).toThrow("have a hook already");
    server.addTool({ name: "ask" }, async (_, context) => {
      const outcomes = [
        await context.elicit(form, { timeoutMs: 7000 }),
        await context.session?.elicit(form, { timeoutMs: 8000 }),
      ];
      return outcomes.map((outcome) => outcome?.action).join();
    });
  });
  const result = await session.callTool({ name: "ask" });
  expect(result.content).toMatchObject([{ text: "decline,decline" }]);
  expect(sent).toEqual([
    ["elicitation/create", "Name?", 7000, true],
    ["elicitation/create", "Name?", 8000, true],
  ]);
});

test("a tool option may check the calls of the tools that do not have it", async () => {
  const { session } = await connect({ revision: modernRevision }, (server, host) => {
    server.addTool({ name: "with", lane: 1 }, () => "ran");
    host.addToolOption("lane", {
      checkOther: ({ name }, { params }) => {
        if (params["name"] === name && name === "without") {
          throw new RpcError(-32_001, "Only tools with a lane.");
        }
      },
    });
    server.addTool({ name: "without" }, () => "ran");
  });
  expect(await session.callTool({ name: "with" })).toMatchObject({ content: [{ text: "ran" }] });
  await expect(session.callTool({ name: "without" })).rejects.toMatchObject({ code: -32_001 });
});
