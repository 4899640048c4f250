import { isRecord } from "@tenon/base";
import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import type { InitializeResult } from "@tenon/protocol";

import type { Tolerate } from "../../../base/strictness.ts";
import { readCapabilities } from "../../../request/capabilities.ts";
import { downConvertImplementation, isImplementation } from "../../../request/implementation.ts";
import type { ClientDescription } from "../../../request/server/context.ts";
import type { SpokenRevisions } from "../../../revisions/index.ts";
import type { RevisionRules } from "../../../revisions/rules.ts";

/** The description of a client that declared nothing about itself. */
export const unknownClient: ClientDescription = { info: undefined, capabilities: {} };

/** The negotiated values of a legacy session. */
export interface Handshake {
  readonly rules: RevisionRules;
  readonly client: ClientDescription;
}

/**
 * Handles `initialize`: accepts the proposed protocol version if it is supported, otherwise returns
 * the newest legacy version.
 *
 * @throws `RpcError` `-32602` for malformed params. A server that supports no legacy version lists
 *   its versions in the error.
 * @source R-160…
 */
export function shakeHands(
  params: Readonly<Record<string, unknown>>,
  spoken: SpokenRevisions,
  tolerate: Tolerate,
): Handshake {
  const { protocolVersion, capabilities, clientInfo } = params;
  const [newest] = spoken.legacy;
  if (newest === undefined) {
    const supported = spoken.modern.map(({ revision }) => revision);
    const message = `This server has no initialize; it speaks ${supported.join(", ")} without a handshake`;
    throw new RpcError(ErrorCode.InvalidParams, message, { data: { supported, requested: protocolVersion } });
  }
  if (typeof protocolVersion !== "string") {
    throw invalid("initialize needs a protocolVersion, a string");
  }
  if (!isRecord(capabilities)) {
    tolerate("incompleteClient", invalid("initialize needs capabilities, an object"));
  }
  if (!isImplementation(clientInfo)) {
    tolerate("incompleteClient", invalid("initialize needs clientInfo with a name and a version"));
  }
  const proposed = spoken.find(protocolVersion);
  const rules = proposed?.era === "legacy" ? proposed : newest;
  return { rules, client: describeClient(clientInfo, capabilities) };
}

/** The valid parts of a client's description. */
export function describeClient(info: unknown, capabilities: unknown): ClientDescription {
  return {
    info: isImplementation(info) ? info : undefined,
    capabilities: readCapabilities(capabilities),
  };
}

function invalid(message: string): RpcError {
  return new RpcError(ErrorCode.InvalidParams, message);
}

/** The result of `initialize`. */
export function initializeResult(
  rules: RevisionRules,
  server: Pick<InitializeResult, "capabilities" | "serverInfo"> & {
    readonly instructions?: string | undefined;
  },
): InitializeResult {
  const { capabilities, serverInfo, instructions } = server;
  return {
    protocolVersion: rules.revision,
    capabilities,
    serverInfo: downConvertImplementation(serverInfo, rules),
    ...(instructions === undefined ? {} : { instructions }),
  };
}
