import type { Exchange } from "@tenon/http/server";
import { isRevision } from "@tenon/protocol";

import { HeaderName } from "../shared/names.ts";
import { refusal, type Refusal } from "./refusal.ts";

/** Checks the revision that a legacy request names, if it names one. @source R-369 */
export function checkRevision(exchange: Exchange): Refusal | undefined {
  const version = exchange.header(HeaderName.protocolVersion);
  return version === undefined || isRevision(version)
    ? undefined
    : refusal(400, -32600, "MCP-Protocol-Version names no known revision");
}
