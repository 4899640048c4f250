import { isRecord } from "@tenon/base";
import type { Peer } from "@tenon/jsonrpc2";
import { isLocalError, isRpcError, type RpcError } from "@tenon/jsonrpc2/core";
import { McpErrorCode, MetaKey, metaOf, type DiscoverResult } from "@tenon/protocol";

import { McpError } from "../../../base/error.ts";
import type { Negotiated } from "../../../request/client/session.ts";
import type { RevisionRules } from "../../../revisions/rules.ts";
import { choose, supportedIn } from "./choose.ts";
import { describeServer } from "./describe-server.ts";
import { modernMeta, type Proposal } from "./proposal.ts";

/** The event that the response to `server/discover` causes, with its data. */
export type Found =
  | { readonly event: "discovered"; readonly negotiated: Negotiated }
  | { readonly event: "offered"; readonly rules: RevisionRules; readonly error: unknown }
  | {
      readonly event: "legacy";
      /** The version for `initialize`, if the server lists versions. */
      readonly rules?: RevisionRules;
      /** No request was sent: the transport returned a remembered result. */
      readonly remembered?: boolean;
      readonly error: unknown;
    }
  | { readonly event: "unclear" | "refused"; readonly error: unknown };

/** Sends `server/discover` in one version. Never rejects. */
export async function discover(peer: Peer, rules: RevisionRules, proposal: Proposal): Promise<Found> {
  try {
    const { rest: signal, timeoutMs, probeTimeoutMs } = proposal;
    const params = { _meta: modernMeta(rules, proposal) };
    // Not a total timeout: it would continue while a user logs in.
    const options = { timeoutMs: Math.max(timeoutMs, probeTimeoutMs), signal };
    return readResult(await peer.call("server/discover", params, options), proposal);
  } catch (error) {
    try {
      return readFailure(error, proposal);
    } catch (refusal) {
      return { event: "refused", error: refusal };
    }
  }
}

/** @throws If there is no version in common, or the description of the server is not valid. */
function readResult(result: unknown, proposal: Proposal): Found {
  if (!isDiscoverResult(result)) {
    // A legacy server that returns a result for any request.
    const error = new McpError("INVALID_RESULT", "Its result of server/discover has no supportedVersions.");
    return { event: "legacy", error };
  }
  const rules = choose(result.supportedVersions, proposal.revisions);
  if (rules.era === "legacy") {
    return { event: "legacy", rules, error: undefined };
  }
  const { capabilities, instructions } = result;
  const serverInfo = metaOf(result)?.[MetaKey.serverInfo];
  const said = { capabilities, serverInfo, instructions };
  const described = describeServer("server/discover", said, proposal.tolerate);
  return { event: "discovered", negotiated: { revision: rules.revision, ...described } };
}

/** Only the modern codes are evidence of a modern server. @source */
function readFailure(error: unknown, proposal: Proposal): Found {
  if (isRpcError(error)) {
    return readError(error, proposal);
  }
  if (isLocalError(error, "TIMEOUT") || isLocalError(error, "INVALID_STATE")) {
    return { event: "unclear", error };
  }
  const { status, delivered } = { status: undefined, delivered: undefined, ...(error as object) };
  if (typeof status === "number") {
    return { event: eventOfStatus(status), error };
  }
  // Without a connection initialize would fail in the same way. A closed connection is opened again
  // by the client.
  const isLost = delivered === "maybe" && !isLocalError(error);
  return { event: isLost ? "unclear" : "refused", error };
}

function readError(error: RpcError, proposal: Proposal): Found {
  if (error.code === McpErrorCode.UnsupportedProtocolVersion) {
    return readOffer(error, proposal);
  }
  if (
    error.code === McpErrorCode.HeaderMismatch ||
    error.code === McpErrorCode.MissingRequiredClientCapability
  ) {
    return { event: "refused", error };
  }
  const remembered = isRecord(error.data) && error.data["remembered"] === true;
  const [newest] = proposal.revisions.modern;
  if (remembered && newest !== undefined && proposal.revisions.legacy.length === 0) {
    // No handshake could show that the result is stale, so the request is sent.
    return { event: "offered", rules: newest, error };
  }
  return { event: "legacy", remembered, error };
}

/**
 * The error `-32022` identifies a modern server. Its list determines the next version to try.
 *
 * @throws If there is no version in common.
 * @source R-192
 */
function readOffer(error: RpcError, { revisions, tolerate }: Proposal): Found {
  const supported = supportedIn(error.data);
  if (supported.length === 0) {
    const message = "The server rejects the protocol version of the request, and lists no other.";
    const refusal = new McpError("UNSUPPORTED_REVISION", message, { cause: error });
    tolerate("unsupportedWithoutAlternative", refusal);
    return { event: "legacy", error };
  }
  const rules = choose(supported, revisions);
  return { event: rules.era === "modern" ? "offered" : "legacy", rules, error };
}

/**
 * The event for an HTTP error that is not a response to the request. A legacy server may refuse the
 * request by any status and body; 501 means an unknown method. 401 is about authorization and 429
 * about load, so they would stop `initialize` as well. 403 may come from a list of allowed methods,
 * and 5xx from a server of either era.
 *
 * @source
 */
function eventOfStatus(status: number): "legacy" | "unclear" | "refused" {
  if (status === 401 || status === 429) {
    return "refused";
  }
  return (status < 500 && status !== 403) || status === 501 ? "legacy" : "unclear";
}

function isDiscoverResult(
  value: unknown,
): value is Partial<DiscoverResult> & Pick<DiscoverResult, "supportedVersions"> {
  return isRecord(value) && Array.isArray(value["supportedVersions"]);
}
