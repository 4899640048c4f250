import type { Invocation } from "../command/invocation.ts";
import { serveDaemon } from "../daemon/serve.ts";

/** Runs the process that keeps connections. `tenon connect` starts it. */
export async function run(invocation: Invocation): Promise<undefined> {
  await serveDaemon(invocation);
}
