import type { LaneSetup } from "@tenon/host";
import type { ClientSession } from "@tenon/mcp/client";

import type { Invocation } from "../command/invocation.ts";
import { openTarget } from "../session/open.ts";
import type { Target } from "../target/target.ts";

/** Opens connections to a target, on behalf of clients of a proxy. */
export function connectTarget(
  invocation: Invocation,
  target: Target,
): (setup: LaneSetup) => Promise<ClientSession> {
  return async ({ options, prepare }) => {
    const { session } = await openTarget(invocation, target, { client: options, prepare });
    return session;
  };
}

/** Whether the connections to a target tell for which request a legacy server requests input. */
export function isRelated(target: Target): boolean {
  return (
    target.kind === "module" ||
    (target.kind === "server" && target.spec.type !== "stdio" && target.spec.type !== "sse")
  );
}
