import type { ResolvedLimits } from "@tenon/base";

import type { ManagerLimits } from "../limits.ts";
import { Gate } from "./gate.ts";

/** Limits the concurrent handshakes of one kind of server. */
export interface Pool {
  readonly gate: Gate;
  /** How long a server has at its first turn while others wait for theirs, in milliseconds. */
  readonly patienceMs: number;
}

/** Creates both pools. */
export function createPools(
  limits: ResolvedLimits<ManagerLimits>,
): Readonly<Record<"stdio" | "remote", Pool>> {
  return {
    stdio: { gate: new Gate(limits.maxStdioConnecting, Infinity), patienceMs: limits.stdioPatienceMs },
    remote: { gate: new Gate(limits.maxRemoteConnecting, Infinity), patienceMs: limits.remotePatienceMs },
  };
}
