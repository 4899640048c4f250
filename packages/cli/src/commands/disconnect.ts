import type { Invocation } from "../command/invocation.ts";
import { askDaemon, endMs } from "../kept/client.ts";

/** Ends a kept connection. */
export async function run(invocation: Invocation): Promise<undefined> {
  const { printer, shell } = invocation;
  const name = invocation.required("name").replace(/^@/, "");
  const closed = await askDaemon(shell, { action: "close", name }, endMs);
  printer.result(closed, () => `@${name} is disconnected.`);
}
