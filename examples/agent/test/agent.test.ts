import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { Manager } from "@tenon/sdk/host";
import { createInMemoryTransports } from "@tenon/sdk/memory";
import { Server } from "@tenon/sdk/server";
import { expect, test } from "vitest";

import { runAgent, type Model } from "../src/agent.ts";

test("the agent calls tools of two servers, and the model reads that a call was refused", async () => {
  const program = join(import.meta.dirname, "../dist/demo.js");
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  expect(stdout.trim().split("\n")).toEqual([
    'mcp__stock__count {"item":"screws"}',
    'mcp__shop__order {"item":"screws","count":500}',
    'mcp__shop__order {"item":"screws","count":10}',
    "Done. Ordered 10 of screws.",
  ]);
});

test("a call of a tool that does not exist becomes a result that the model reads", async () => {
  await using manager = new Manager({ servers: {} });
  const read: string[] = [];
  let turn = 0;
  const model = async (): ReturnType<Model> =>
    turn++ === 0
      ? {
          content: [{ type: "tool_use", id: "1", name: "mcp__x__y", input: {}, caller: { type: "direct" } }],
          stop_reason: "tool_use",
        }
      : { content: [{ type: "text", text: "I cannot.", citations: null }], stop_reason: "end_turn" };
  const answer = await runAgent({ manager, prompt: "?", model, onCall: (name) => read.push(name) });
  expect([answer, read]).toEqual(["I cannot.", ["mcp__x__y"]]);
});

test("the server gets the names of its own schema, though the model reads others", async () => {
  const server = new Server({ name: "people", version: "1.0.0" });
  const input = { type: "object", properties: { "first name": { type: "string" } } } as const;
  server.addTool({ name: "find", input }, (args) => JSON.stringify(args));
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  await using manager = new Manager({ servers: { people: { type: "custom", transport: () => here } } });
  await manager.connectAll();
  const model: Model = async ({ messages, tools = [] }) => {
    const [tool] = tools;
    const last = messages.at(-1)?.content;
    if (tool === undefined || !("input_schema" in tool) || typeof last !== "string") {
      const [result] = Array.isArray(last) ? last : [];
      const text = result?.type === "tool_result" ? JSON.stringify(result.content) : "";
      return { content: [{ type: "text", text, citations: null }], stop_reason: "end_turn" };
    }
    const names = Object.keys(tool.input_schema.properties ?? {});
    expect(names).toEqual([expect.stringMatching(/^[a-zA-Z0-9_.-]+$/)]);
    const args = Object.fromEntries(names.map((name) => [name, "Ada"]));
    return {
      content: [{ type: "tool_use", id: "1", name: tool.name, input: args, caller: { type: "direct" } }],
      stop_reason: "tool_use",
    };
  };
  expect(await runAgent({ manager, model, prompt: "Find Ada." })).toContain(
    String.raw`{\"first name\":\"Ada\"}`,
  );
});

test("an agent whose model never stops ends with an error", async () => {
  await using manager = new Manager({ servers: {} });
  const model = async (): ReturnType<Model> => ({
    content: [{ type: "tool_use", id: "1", name: "mcp__x__y", input: {}, caller: { type: "direct" } }],
    stop_reason: "tool_use",
  });
  await expect(runAgent({ manager, prompt: "?", model, maxTurns: 2 })).rejects.toThrow("after 2 turns");
});
