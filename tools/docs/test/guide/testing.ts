import { readFile, writeFile } from "node:fs/promises";

import type { RequestContext, Server } from "@tenon/sdk/server";
import {
  checkServer,
  diffDefinitions,
  faulty,
  formatLock,
  formatReport,
  load,
  lockOf,
  pair,
  parseLock,
  type DefinitionChange,
  type Fault,
} from "@tenon/testing";

/** Calls a tool of the server under test, as a test does. */
export async function paired(server: Server, revision: "2025-11-25" | "2026-07-28"): Promise<unknown> {
  // #region pair
  await using connected = await pair(server, { revision });
  const result = await connected.session.callTool({ name: "countdown", arguments: { from: 2 } });
  // #endregion pair
  return result;
}

/** Calls all tools of a server with generated arguments. */
export async function checked(server: Server): Promise<void> {
  // #region check
  const report = await checkServer(server, { tools: ["countdown"] });
  if (report.findings.some(({ severity }) => severity === "error")) {
    throw new Error(formatReport(report));
  }
  // #endregion check
}

/** Compares a server with its lock file, or writes the file. */
export async function locked(server: Server, file: string): Promise<readonly DefinitionChange[]> {
  await using connected = await pair(server);
  const { session } = connected;
  // #region lock
  const lock = await lockOf(session);
  const kept = await readFile(file, "utf8").then(parseLock, () => lock);
  const changes = diffDefinitions(kept.definitions, lock.definitions);
  if (!changes.some(({ effect }) => effect === "breaking")) {
    await writeFile(file, formatLock(lock));
  }
  // #endregion lock
  return changes;
}

/** Calls a tool while messages arrive twice. */
export async function disturbed(server: Server): Promise<unknown> {
  // #region faults
  const faults: readonly Fault[] = [
    { kind: "duplicate", dir: "read" },
    { kind: "delay", dir: "write", method: "tools/call", nth: 2, delayMs: 500 },
  ];
  await using connected = await pair(server, { wrap: (transport) => faulty(transport, faults) });
  const result = await connected.session.callTool({ name: "countdown", arguments: { from: 1 } });
  // #endregion faults
  return result;
}

/** Measures calls, and returns the limits of the budget that do not hold. */
export async function measured(server: Server): Promise<readonly string[]> {
  await using connected = await pair(server);
  const { session } = connected;
  // #region load
  const { latency, exceeded } = await load(
    () => session.callTool({ name: "countdown", arguments: { from: 1 } }),
    { rps: 500, calls: 100, budget: { p99: 10_000 } },
  );
  console.log(`p50 ${latency.p50} ms, p99 ${latency.p99} ms`);
  // #endregion load
  return exceeded;
}

// #region handler
/** A handler takes what it uses of the context, and nothing of the SDK. */
export async function countDown(
  { from }: { readonly from: number },
  ctx: Pick<RequestContext, "signal" | "progress">,
): Promise<string> {
  for (let step = 1; step <= from && !ctx.signal.aborted; step++) {
    await ctx.progress(step, from);
  }
  return "lift-off";
}

export function addCountdown(server: Server): void {
  const input = { type: "object", properties: { from: { type: "integer" } }, required: ["from"] } as const;
  server.addTool({ name: "countdown", input }, countDown);
}
// #endregion handler

/** Calls a handler without any server. */
export async function alone(): Promise<{ readonly text: unknown; readonly reported: readonly number[] }> {
  // #region alone
  const reported: number[] = [];
  const text = await countDown(
    { from: 3 },
    {
      signal: new AbortController().signal,
      progress: async (step) => void reported.push(step),
    },
  );
  // #endregion alone
  return { text, reported };
}
