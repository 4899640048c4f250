import { isRecord } from "@tenon/base";

import { McpError } from "../../../base/error.ts";
import type { Tolerate } from "../../../base/strictness.ts";
import { readCapabilities } from "../../../request/capabilities.ts";
import type { Negotiated } from "../../../request/client/session.ts";
import { isImplementation } from "../../../request/implementation.ts";

/**
 * Returns the server's description without its invalid parts.
 *
 * @throws `McpError` `INVALID_RESULT`, unless that is tolerated.
 */
export function describeServer(
  method: string,
  said: { readonly capabilities: unknown; readonly serverInfo: unknown; readonly instructions: unknown },
  tolerate: Tolerate,
): Omit<Negotiated, "revision"> {
  const check = (valid: boolean, problem: string): void => {
    if (!valid) {
      const refusal = new McpError("INVALID_RESULT", `Invalid ${method} result: ${problem}.`);
      tolerate("incompleteServer", refusal);
    }
  };
  const { capabilities } = said;
  // null is treated as absent.
  const serverInfo = said.serverInfo ?? undefined;
  const instructions = said.instructions ?? undefined;
  const mayBeAnonymous = method === "server/discover" && serverInfo === undefined;
  check(isRecord(capabilities), "capabilities must be an object");
  check(mayBeAnonymous || isImplementation(serverInfo), "serverInfo must have a name and a version");
  check(instructions === undefined || typeof instructions === "string", "instructions must be a string");
  return {
    capabilities: readCapabilities(capabilities),
    ...infoOf(serverInfo),
    ...(typeof instructions === "string" ? { instructions } : {}),
  };
}

/** The name of a server counts even without its version. */
function infoOf(said: unknown): Pick<Negotiated, "serverInfo"> {
  if (isImplementation(said)) {
    return { serverInfo: said };
  }
  return isRecord(said) && typeof said["name"] === "string"
    ? { serverInfo: { name: said["name"], version: "" } }
    : {};
}
