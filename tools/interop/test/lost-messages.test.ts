import { isLocalError } from "@tenon/jsonrpc2";
import { expect, test } from "vitest";

import { exchanges, type Begun } from "./two-nodes/exchanges.ts";
import type { Fault } from "./two-nodes/faults.ts";
import { startWorld, type MessageFault, type World } from "./two-nodes/world.ts";

// Each exchange of two-nodes/exchanges.ts runs again and again on two nodes, and each time another
// one of its messages meets a fault: a message between client and server, or one between a node and
// its stores, with these faults:
const betweenClientAndServer: readonly MessageFault[] = [
  "lose",
  "lose the response",
  "cut the response",
  "double",
  "delay",
];
const betweenNodeAndStore: readonly Fault[] = ["lose", "lose the result", "double", "delay"];

// The rule: no call waits for its timeout, nothing runs twice, nothing is lost that was confirmed.
// Only a `tools/call` is not doubled: a server cannot know that a proxy sent it twice.

/** How many runs are in progress at a time. */
const atOnce = 6;

/** Three parts: a first, a middle and a last one. */
const drawingLength = 810_000;

/** Begins an exchange, and lets a fault hit the message of an index of what is disturbed. */
async function run(
  begin: (world: World) => Promise<Begun>,
  index: number,
  { message, operation }: { readonly message?: MessageFault; readonly operation?: Fault },
): Promise<{ readonly messages: number; readonly operations: number }> {
  await using world = startWorld(1000, drawingLength);
  const { during, after } = await begin(world);
  const [messages, operations] = [world.sent.length, world.gate.operations.length];
  world.faultOf = ({ method }, at) =>
    at === messages + index && !(message === "double" && method === "tools/call") ? message : undefined;
  world.gate.faultOf = (_, at) => (at === operations + index ? operation : undefined);
  const [outcome] = await Promise.allSettled<[Promise<unknown>]>([during()]);
  const [sent, done] = [world.sent.length - messages, world.gate.operations.length - operations];
  world.faultOf = () => undefined;
  world.gate.faultOf = () => undefined;
  if (outcome.status === "rejected") {
    expect(isLocalError(outcome.reason, "TIMEOUT"), String(outcome.reason)).toBe(false);
  }
  await after(outcome, message === "delay" || operation === "delay" || (!message && !operation));
  return { messages: sent, operations: done };
}

/** Runs an exchange with a fault of each message, and names those that break the rule. */
async function broken(
  begin: (world: World) => Promise<Begun>,
  count: number,
  faults: readonly (MessageFault | Fault)[],
  of: (fault: never) => object,
): Promise<readonly string[]> {
  const cases = faults.flatMap((fault) => Array.from({ length: count }, (_, index) => ({ fault, index })));
  const problems: string[] = [];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let next = cases.pop(); next !== undefined; next = cases.pop()) {
        const { fault, index } = next;
        await run(begin, index, of(fault as never)).catch((error: unknown) => {
          problems.push(`${fault}, message ${index}: ${String(error).slice(0, 200)}`);
        });
      }
    }),
  );
  return problems;
}

for (const [exchange, begin] of Object.entries(exchanges)) {
  test(
    `${exchange}, while each message between client and server meets each fault`,
    { timeout: 120_000 },
    async () => {
      const { messages } = await run(begin, 0, {});
      const problems = await broken(begin, messages, betweenClientAndServer, (message) => ({ message }));
      expect(problems).toEqual([]);
    },
  );

  test(
    `${exchange}, while each message between a node and its stores meets each fault`,
    { timeout: 120_000 },
    async () => {
      const { operations } = await run(begin, 0, {});
      const problems = await broken(begin, operations, betweenNodeAndStore, (operation) => ({ operation }));
      expect(problems).toEqual([]);
    },
  );
}
