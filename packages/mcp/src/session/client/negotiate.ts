import type { Peer } from "@tenon/jsonrpc2";
import { isLocalError, isRpcError, type RpcError } from "@tenon/jsonrpc2/core";
import { isRecord, quotedMessage } from "@tenon/jsonrpc2/transport";
import {
  MetaKey,
  metaOf,
  type ClientCapabilities,
  type DiscoverResult,
  type Implementation,
} from "@tenon/protocol";

import { McpError, McpErrorCode } from "../../base/error.ts";
import type { Tolerate } from "../../base/strictness.ts";
import { readCapabilities } from "../../request/capabilities.ts";
import type { Negotiated } from "../../request/client/session.ts";
import { downConvertImplementation, isImplementation } from "../../request/implementation.ts";
import type { SpokenRevisions } from "../../revisions/index.ts";
import type { RevisionRules } from "../../revisions/rules.ts";

/** The client's part of a negotiation. */
export interface Proposal {
  readonly info: Implementation;
  /** As a revision knows them. */
  readonly capabilities: (rules: RevisionRules) => ClientCapabilities;
  readonly revisions: SpokenRevisions;
  /**
   * Maximum time to wait for the response to `server/discover` before falling back to `initialize`,
   * in milliseconds.
   */
  readonly probeTimeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly tolerate: Tolerate;
}

/** The `_meta` that every modern request carries. @source */
export function modernMeta(
  rules: RevisionRules,
  { info, capabilities }: Proposal,
): Readonly<Record<string, unknown>> {
  return {
    [MetaKey.protocolVersion]: rules.revision,
    [MetaKey.clientCapabilities]: capabilities(rules),
    [MetaKey.clientInfo]: info,
  };
}

/** The outcome of a probe: agreed, or a reason to open a legacy session. */
type Probe =
  | { readonly era: "modern"; readonly negotiated: Negotiated }
  | {
      readonly era: "legacy";
      readonly rules: RevisionRules;
      /** No request was sent: the transport returned a remembered result. */
      readonly remembered?: boolean;
    };

/**
 * Negotiates the protocol version on one connection: `server/discover` in the newest modern version
 * first; if the server does not support it, or does not respond, `initialize`. The caller sends
 * `notifications/initialized`.
 *
 * @param probe - Whether to try the modern era at all.
 * @throws `McpError` `UNSUPPORTED_REVISION` if there is none in common.
 * @source R-212…
 */
export async function negotiate(peer: Peer, proposal: Proposal, probe: boolean): Promise<Negotiated> {
  const [newest] = proposal.revisions.modern;
  const outcome = probe && newest !== undefined ? await discover(peer, newest, proposal) : legacyOr(proposal);
  if (outcome.era === "modern") {
    return outcome.negotiated;
  }
  try {
    return await initialize(peer, outcome.rules, proposal);
  } catch (error) {
    // The remembered result may be stale: the request is sent.
    const again =
      outcome.remembered === true && newest !== undefined && proposal.signal?.aborted !== true
        ? await discover(peer, newest, proposal)
        : undefined;
    if (again?.era === "modern") {
      return again.negotiated;
    }
    throw error;
  }
}

function legacyOr({ revisions }: Proposal, cause?: unknown): Extract<Probe, { era: "legacy" }> {
  const [rules] = revisions.legacy;
  if (rules === undefined) {
    const why = cause instanceof Error ? `: ${quotedMessage(cause)}` : ".";
    const message = `The server agreed to no modern protocol version, and this client to no other (revisions)${why}`;
    throw new McpError("UNSUPPORTED_REVISION", message, { cause });
  }
  return { era: "legacy", rules };
}

/** The result of one probe: an outcome, or the next protocol version to probe with. */
type Asked = { readonly outcome: Probe } | { readonly next: RevisionRules };

/**
 * Sends `server/discover`. If the server rejects the protocol version, it is sent again in a
 * version that the server lists. If the server also rejects a version that it lists, the client
 * stops.
 */
async function discover(peer: Peer, newest: RevisionRules, proposal: Proposal): Promise<Probe> {
  let rules = newest;
  for (let questions = proposal.revisions.modern.length + 1; questions > 0; questions--) {
    const asked = await discoverIn(peer, rules, proposal);
    if ("outcome" in asked) {
      return asked.outcome;
    }
    rules = asked.next;
  }
  const message = `The server rejects every protocol version that it lists, finally ${rules.revision}.`;
  throw new McpError("UNSUPPORTED_REVISION", message);
}

async function discoverIn(peer: Peer, rules: RevisionRules, proposal: Proposal): Promise<Asked> {
  let result: unknown;
  try {
    result = await peer.call(
      "server/discover",
      { _meta: modernMeta(rules, proposal) },
      probeOptions(proposal),
    );
  } catch (error) {
    return afterFailedProbe(proposal, error);
  }
  if (!isDiscoverResult(result)) {
    // A legacy server that returns a result for any request.
    const cause = new McpError("INVALID_RESULT", "Its result of server/discover has no supportedVersions.");
    return { outcome: legacyOr(proposal, cause) };
  }
  const chosen = choose(result.supportedVersions, proposal);
  if (chosen.era === "legacy") {
    return { outcome: { era: "legacy", rules: chosen } };
  }
  const { capabilities, instructions } = result;
  const serverInfo = metaOf(result)?.[MetaKey.serverInfo];
  const described = describeServer("server/discover", { capabilities, serverInfo, instructions }, proposal);
  return { outcome: { era: "modern", negotiated: { revision: chosen.revision, ...described } } };
}

/**
 * Returns the server's description without its invalid parts.
 *
 * @throws `McpError` `INVALID_RESULT`, unless that is tolerated.
 */
function describeServer(
  method: string,
  said: { readonly capabilities: unknown; readonly serverInfo: unknown; readonly instructions: unknown },
  { tolerate }: Proposal,
): Omit<Negotiated, "revision"> {
  const check = (valid: boolean, problem: string): void => {
    if (!valid) {
      const refusal = new McpError("INVALID_RESULT", `Invalid ${method} result: ${problem}.`);
      tolerate("incompleteServer", refusal);
    }
  };
  const { capabilities, serverInfo, instructions } = said;
  const mayBeAnonymous = method === "server/discover" && serverInfo === undefined;
  check(isRecord(capabilities), "capabilities must be an object");
  check(mayBeAnonymous || isImplementation(serverInfo), "serverInfo must have a name and a version");
  check(instructions === undefined || typeof instructions === "string", "instructions must be a string");
  return {
    capabilities: readCapabilities(capabilities),
    ...(isImplementation(serverInfo) ? { serverInfo } : {}),
    ...(typeof instructions === "string" ? { instructions } : {}),
  };
}

function probeOptions({ probeTimeoutMs, signal }: Proposal): {
  timeoutMs: number;
  signal: AbortSignal | undefined;
} {
  // Not a total timeout: it would continue while a user logs in.
  return { timeoutMs: probeTimeoutMs, signal };
}

/**
 * Only the modern codes are evidence of a modern server; anything else opens a legacy session.
 *
 * @source
 */
function afterFailedProbe(proposal: Proposal, error: unknown): Asked {
  if (isRpcError(error)) {
    if (error.code === McpErrorCode.UnsupportedProtocolVersion) {
      return afterRefusal(proposal, error);
    }
    if (
      error.code === McpErrorCode.HeaderMismatch ||
      error.code === McpErrorCode.MissingRequiredClientCapability
    ) {
      throw error;
    }
    const remembered = isRecord(error.data) && error.data["remembered"] === true;
    const [newest] = proposal.revisions.modern;
    if (remembered && newest !== undefined && proposal.revisions.legacy.length === 0) {
      // Without a handshake that could show it to be stale, the server is asked.
      return { next: newest };
    }
    return { outcome: { ...legacyOr(proposal, error), remembered } };
  }
  if (isLocalError(error, "TIMEOUT") || isRefusedByHttp(error)) {
    return { outcome: legacyOr(proposal, error) };
  }
  throw error;
}

/**
 * The error `-32022` identifies a modern server. Its list determines the next version to try.
 *
 * @source R-192
 */
function afterRefusal(proposal: Proposal, error: RpcError): Asked {
  const supported = supportedIn(error.data);
  if (supported.length === 0) {
    const message = "The server rejects the protocol version of the request, and lists no other.";
    const refusal = new McpError("UNSUPPORTED_REVISION", message, { cause: error });
    proposal.tolerate("unsupportedWithoutAlternative", refusal);
    return { outcome: legacyOr(proposal, error) };
  }
  const chosen = choose(supported, proposal);
  return chosen.era === "modern" ? { next: chosen } : { outcome: { era: "legacy", rules: chosen } };
}

/**
 * Whether an HTTP server refused the probe in a way that a legacy server may: by whatever status
 * and body that is not a response to the request. 401 and 403 are about authorization, 429 about
 * load, 5xx about the server's health; none of these says anything about the era.
 *
 * @source
 */
function isRefusedByHttp(error: unknown): boolean {
  const status = error instanceof Error && "status" in error ? error.status : undefined;
  return typeof status === "number" && status < 500 && status !== 401 && status !== 403 && status !== 429;
}

function choose(supported: readonly unknown[], { revisions }: Proposal): RevisionRules {
  const common = [...revisions.modern, ...revisions.legacy].find(({ revision }) =>
    supported.includes(revision),
  );
  if (common === undefined) {
    throw new McpError(
      "UNSUPPORTED_REVISION",
      `The server speaks ${supported
        .filter((name) => typeof name === "string")
        .join(", ")
        .slice(0, 200)}; this client speaks none of these.`,
    );
  }
  return common;
}

function supportedIn(data: unknown): readonly unknown[] {
  return isRecord(data) && Array.isArray(data["supported"]) ? data["supported"] : [];
}

function isDiscoverResult(
  value: unknown,
): value is Partial<DiscoverResult> & Pick<DiscoverResult, "supportedVersions"> {
  return isRecord(value) && Array.isArray(value["supportedVersions"]);
}

async function initialize(peer: Peer, rules: RevisionRules, proposal: Proposal): Promise<Negotiated> {
  const params = {
    protocolVersion: rules.revision,
    capabilities: proposal.capabilities(rules),
    clientInfo: downConvertImplementation(proposal.info, rules),
  };
  // a client never cancels initialize, so an abort ends the whole connection instead (see
  // `Client.connect`).
  const result = await peer.call("initialize", params);
  if (!isRecord(result) || typeof result["protocolVersion"] !== "string") {
    throw new McpError("INVALID_RESULT", "Invalid initialize result: protocolVersion is missing.");
  }
  const { protocolVersion, capabilities, serverInfo, instructions } = result;
  const agreed = proposal.revisions.find(protocolVersion);
  if (agreed?.era !== "legacy") {
    const message = `The server insists on protocol version ${protocolVersion.slice(0, 40)}, which this client does not speak.`;
    throw new McpError("UNSUPPORTED_REVISION", message);
  }
  const described = describeServer("initialize", { capabilities, serverInfo, instructions }, proposal);
  return { revision: agreed.revision, ...described };
}
