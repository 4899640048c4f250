import { systemClock } from "@tenon/base";
import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import type { ClientSession } from "@tenon/mcp";
import { expect, test } from "vitest";

import { followTask, pollDelay } from "../src/lanes/follow-task.ts";
import { turns } from "./fixture.ts";

test.each([
  [2500, 2500],
  [0, 100],
  [-1, 100],
  [1e12, 60_000],
  [Infinity, 1000],
  [Number.NaN, 1000],
  ["soon", 1000],
  [{}, 1000],
  [undefined, 1000],
])("a server that wants to be asked every %j ms is asked after %d ms", (wanted, expected) => {
  expect(pollDelay(wanted)).toBe(expected);
});

/** Follows a task of a server that sends anything. `asked` are the requests that it got. */
async function follow(
  task: Readonly<Record<string, unknown>>,
): Promise<{ readonly failure: string; readonly answers: number; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  let answers = 0;
  const session = {
    request: ({ method }: { readonly method: string }) => {
      asked.push(method);
      return Promise.resolve({ taskId: "1", ...task });
    },
  } as unknown as ClientSession;
  const first = { resultType: "task", taskId: "1" };
  const failure = await followTask(session, first, {
    signal: new AbortController().signal,
    capabilities: {},
    clock: systemClock,
    answer: () => {
      answers++;
      return new Promise(() => {});
    },
  }).then(
    () => "",
    (error: unknown) => (error as Error).message,
  );
  return { failure, answers, asked };
}

test("a task that requests more inputs than a client can take is cancelled, and asks it for none", async () => {
  const request = { method: "elicitation/create", params: {} };
  const inputRequests = Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`k${index}`, request]));
  const { failure, answers, asked } = await follow({ status: "input_required", inputRequests });
  expect(failure).toContain("at most 32 inputs at a time");
  expect(answers).toBe(0);
  expect(asked).toEqual(["tasks/get", "tasks/cancel"]);
});

test.each([
  [{ status: "completed", result: "oops" }, 'The result of the task must be an object; got "oops".'],
  [{ status: "completed" }, "The result of the task must be an object; got nothing."],
  [{ status: "odd" }, 'The status of the task must be one that the protocol has; got "odd".'],
])("what a server sends of a task is checked: %j", async (task, message) => {
  expect((await follow(task)).failure).toContain(message);
});

test("the next poll of a task, and of a task whose response was lost, waits by the clock of the connections", async () => {
  const clock = createVirtualClock();
  const answers = [
    () => Promise.resolve({ taskId: "1", status: "working", pollIntervalMs: 60_000 }),
    () => Promise.reject(Object.assign(new Error("lost"), { code: "NETWORK" })),
    () => Promise.resolve({ taskId: "1", status: "completed", result: { content: [] } }),
  ];
  const session = { request: () => answers.shift()?.() } as unknown as ClientSession;
  const first = { resultType: "task", taskId: "1" };
  const result = followTask(session, first, {
    signal: new AbortController().signal,
    capabilities: {},
    clock,
    answer: () => new Promise(() => {}),
  });
  await turns(5);
  expect(answers).toHaveLength(2);
  clock.advance(60_000);
  await turns(5);
  expect(answers).toHaveLength(1);
  clock.advance(200);
  expect(await result).toEqual({ content: [] });
});
