import { isLocalError } from "@tenon/jsonrpc2";
import { expect, test } from "vitest";

import { exchanges, type Exchange } from "./two-nodes/exchanges.ts";
import { StoreGate, type Fault } from "./two-nodes/faults.ts";
import { startNodes } from "./two-nodes/nodes.ts";
import { startWorld, type MessageFault } from "./two-nodes/world.ts";

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

/**
 * The faults of an operation. Losing the result of what reads is losing it; twice or later it does
 * the same. Nobody waits for the result of a delivery.
 */
function faultsOf(operation: string): readonly Fault[] {
  const isReading = /\.(?:get|list|current|journal|streamOf|readAfter)$/.test(operation);
  return betweenNodeAndStore.filter((fault) =>
    isReading ? fault === "lose" : fault !== "lose the result" || operation !== "bus.deliver",
  );
}

// The rule: no call waits for its timeout, nothing runs twice, nothing is lost that was confirmed.
// Only a `tools/call` is not doubled: a server cannot know that a proxy sent it twice.

/** How many runs are in progress at a time. */
const atOnce = 6;

/** Begins an exchange, and lets a fault hit the message of an index of what is disturbed. */
async function run(
  begin: Exchange,
  index: number,
  { message, operation }: { readonly message?: MessageFault; readonly operation?: Fault },
): Promise<{ readonly messages: readonly string[]; readonly operations: readonly string[] }> {
  const gate = new StoreGate();
  await using nodes = startNodes(gate, 1000);
  await using world = startWorld(nodes, "", { initialDelayMs: 5, maxDelayMs: 200 });
  const { during, after } = await begin(world);
  const [messages, operations] = [world.sent.length, gate.operations.length];
  world.faultOf = (_, at) => (at === messages + index ? message : undefined);
  gate.faultOf = (_, at) => (at === operations + index ? operation : undefined);
  const [outcome] = await Promise.allSettled<[Promise<unknown>]>([during()]);
  const sent = world.sent.slice(messages).map(({ method }) => method);
  const done = gate.operations.slice(operations).map(({ name }) => name);
  world.faultOf = () => undefined;
  gate.faultOf = () => undefined;
  if (outcome.status === "rejected") {
    expect(isLocalError(outcome.reason, "TIMEOUT"), String(outcome.reason)).toBe(false);
  }
  await after(outcome, message === "delay" || operation === "delay" || (!message && !operation));
  return { messages: sent, operations: done };
}

/** A fault, and the message that meets it. */
interface Case {
  readonly index: number;
  readonly message?: MessageFault;
  readonly operation?: Fault;
}

/** Runs an exchange once for each case, and names those that break the rule. */
async function broken(begin: Exchange, cases: Case[]): Promise<readonly string[]> {
  const problems: string[] = [];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let next = cases.pop(); next !== undefined; next = cases.pop()) {
        const { index, message, operation } = next;
        await run(begin, index, next).catch((error: unknown) => {
          problems.push(`${message ?? operation}, message ${index}: ${String(error).slice(0, 200)}`);
        });
      }
    }),
  );
  return problems;
}

for (const [exchange, begin] of Object.entries(exchanges)) {
  test(`${exchange}, while each message between client and server meets each fault`, async () => {
    const { messages } = await run(begin, 0, {});
    const cases = messages.flatMap((method, index) =>
      betweenClientAndServer
        .filter((fault) => fault !== "double" || method !== "tools/call")
        .map((message) => ({ index, message })),
    );
    expect(await broken(begin, cases)).toEqual([]);
  });

  test(`${exchange}, while each message between a node and its stores meets each fault`, async () => {
    const { operations } = await run(begin, 0, {});
    const cases = operations.flatMap((name, index) =>
      faultsOf(name).map((operation) => ({ index, operation })),
    );
    expect(await broken(begin, cases)).toEqual([]);
  });
}
