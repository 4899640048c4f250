import { Client, Server } from "@tenon/mcp";
import { expect, onTestFinished, test, vi } from "vitest";

import { shapes } from "./shapes.ts";

const text = { type: "text", text: "ok" } as const;
const looped: Record<string, unknown> = {};
looped["self"] = looped;

/** What tools return, and what the reported error says about it. */
const results: Readonly<Record<string, readonly [result: object, message: string]>> = {
  bigint: [
    { content: [text], structuredContent: { rows: [{ price: 2n }] } },
    "The response to tools/call of bigint was not sent: result.structuredContent.rows.0.price is a bigint, which JSON has no form for.",
  ],
  cycle: [
    { content: [text], _meta: { looped } },
    "The response to tools/call of cycle was not sent: result._meta.looped.self is an object that contains itself, which JSON has no form for.",
  ],
  checked: [
    { rows: [{ price: 2n }] },
    "The result of tool checked is not valid: result.rows.0.price is a bigint, which JSON has no form for.",
  ],
  data: [
    { rows: [{ price: 2n }] },
    "The result of tool data is not valid: result.rows.0.price is a bigint, which JSON has no form for.",
  ],
};

test.each(Object.keys(shapes).filter((name) => name !== "port"))(
  "a result that JSON cannot carry is reported with its tool and the place of the value, over %s",
  async (name) => {
    const errors: unknown[] = [];
    const server = new Server(
      { name: "server", version: "1.0.0" },
      { onError: (error) => void errors.push(error) },
    );
    for (const [tool, [result]] of Object.entries(results)) {
      const output = tool === "checked" ? { outputSchema: { type: "object" as const } } : {};
      server.addTool({ name: tool, ...output }, () => result as never);
    }
    server.addTool({ name: "date" }, () => new Date(0));
    const { revision, serve } = shapes[name] ?? expect.fail(name);
    const endpoint = serve(server);
    onTestFinished(() => endpoint.close());
    const { transport } = await endpoint.client();
    await using session = await new Client(
      { name: "client", version: "1.0.0" },
      { revisions: [revision] },
    ).connect(transport);
    for (const [tool, [, message]] of Object.entries(results)) {
      expect(await session.callTool({ name: tool })).toMatchObject({
        isError: true,
        content: [{ text: "The tool failed: its result is not valid." }],
      });
      await vi.waitFor(() => expect(errors).toHaveLength(1));
      expect(errors.splice(0)).toEqual([expect.objectContaining({ message })]);
    }
    // Only modern revisions have structured content that is no object.
    const { content, structuredContent } = await session.callTool({ name: "date" });
    expect(content).toEqual([{ type: "text", text: '"1970-01-01T00:00:00.000Z"' }]);
    expect(structuredContent).toBe(name === "modern" ? "1970-01-01T00:00:00.000Z" : undefined);
  },
);
