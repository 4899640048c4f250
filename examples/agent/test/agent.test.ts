import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { Manager } from "@tenon/sdk/host";
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

test("an agent whose model never stops ends with an error", async () => {
  await using manager = new Manager({ servers: {} });
  const model = async (): ReturnType<Model> => ({
    content: [{ type: "tool_use", id: "1", name: "mcp__x__y", input: {}, caller: { type: "direct" } }],
    stop_reason: "tool_use",
  });
  await expect(runAgent({ manager, prompt: "?", model, maxTurns: 2 })).rejects.toThrow("after 2 turns");
});
