import { Client, type ClientSession } from "@tenon/sdk/client";
import { createInMemoryTransports } from "@tenon/sdk/memory";
import type { RequestContext, Server } from "@tenon/sdk/server";

// #region connect
/** A client connected to the server under test, in one process. */
export async function connected(
  server: Server,
  revision: "2025-11-25" | "2026-07-28",
): Promise<ClientSession> {
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  return new Client({ name: "test", version: "1.0.0" }, { revisions: [revision] }).connect(here);
}
// #endregion connect

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
