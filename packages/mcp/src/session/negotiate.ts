import { isLocalError, isRpcError, type Peer } from "@tenon/jsonrpc2";
import type {
  ClientCapabilities,
  DiscoverResult,
  Implementation,
  InitializeResult,
  Revision,
  ServerCapabilities,
} from "@tenon/protocol";

import { McpError, McpErrorCode } from "../error.ts";
import type { SpokenRevisions } from "../revisions/index.ts";
import type { RevisionRules } from "../revisions/rules.ts";
import { downConvertImplementation, isImplementation } from "./handshake.ts";
import { isRecord, MetaKey, metaOf } from "./meta.ts";

/** What a client and a server agreed on. Plain data: it may be stored and passed as `prior` when connecting again. */
export interface Negotiated {
  readonly revision: Revision;
  readonly capabilities: ServerCapabilities;
  /** Unverified, for display and logs. Absent if a modern server does not say. */
  readonly serverInfo?: Implementation | undefined;
  /** Advice for the model on using the server. */
  readonly instructions?: string | undefined;
}

/** What the client brings to a negotiation. */
export interface Proposal {
  readonly info: Implementation;
  /** As a revision knows them. */
  readonly capabilities: (rules: RevisionRules) => ClientCapabilities;
  readonly revisions: SpokenRevisions;
  /** How long a server may stay silent on `server/discover` before it is taken for a legacy one. */
  readonly probeTimeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** The `_meta` that every modern request carries. */
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
      /** The server was not asked: the transport has answered from memory. */
      readonly remembered?: boolean;
    };

/**
 * Finds out what the server speaks, on one connection: `server/discover` in the newest modern revision first; if the server does not know it, or
 * stays silent, `initialize` (R-212… ).
 *
 * @param probe - Whether to try the modern era at all.
 * @throws `McpError` `UNSUPPORTED_REVISION` if there is none in common.
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
    // What was remembered may be out of date: the server is asked after all.
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
    throw new McpError(
      "UNSUPPORTED_REVISION",
      "The server speaks no modern revision of the protocol, and this client no other.",
      {
        cause,
      },
    );
  }
  return { era: "legacy", rules };
}

/** @param mayRepeat - Whether a server that refuses the very revision that it says it speaks is asked once more. */
async function discover(
  peer: Peer,
  rules: RevisionRules,
  proposal: Proposal,
  mayRepeat = true,
): Promise<Probe> {
  let result: unknown;
  try {
    result = await peer.call(
      "server/discover",
      { _meta: modernMeta(rules, proposal) },
      probeOptions(proposal),
    );
  } catch (error) {
    return afterFailedProbe(peer, rules, proposal, error, mayRepeat);
  }
  if (!isDiscoverResult(result)) {
    // A legacy server that answers whatever it is asked.
    return legacyOr(proposal);
  }
  const chosen = choose(result.supportedVersions, proposal);
  if (chosen.era === "legacy") {
    return { era: "legacy", rules: chosen };
  }
  const serverInfo = metaOf(result)?.[MetaKey.serverInfo];
  const negotiated: Negotiated = {
    revision: chosen.revision,
    capabilities: result.capabilities,
    ...(isImplementation(serverInfo) ? { serverInfo } : {}),
    ...(result.instructions === undefined ? {} : { instructions: result.instructions }),
  };
  return { era: "modern", negotiated };
}

function probeOptions({ probeTimeoutMs, signal }: Proposal): {
  totalTimeoutMs: number;
  signal: AbortSignal | undefined;
} {
  return { totalTimeoutMs: probeTimeoutMs, signal };
}

/** Only the modern codes are evidence of a modern server; anything else opens a legacy session. */
async function afterFailedProbe(
  peer: Peer,
  tried: RevisionRules,
  proposal: Proposal,
  error: unknown,
  mayRepeat: boolean,
): Promise<Probe> {
  if (isRpcError(error)) {
    const supported = supportedIn(error.data);
    if (error.code === McpErrorCode.UnsupportedProtocolVersion && supported.length > 0) {
      const chosen = choose(supported, proposal);
      if (chosen.era === "modern" && (chosen !== tried || mayRepeat)) {
        return discover(peer, chosen, proposal, chosen !== tried);
      }
      return chosen.era === "legacy" ? { era: "legacy", rules: chosen } : legacyOr(proposal, error);
    }
    if (
      error.code === McpErrorCode.HeaderMismatch ||
      error.code === McpErrorCode.MissingRequiredClientCapability
    ) {
      throw error;
    }
    const remembered = isRecord(error.data) && error.data["remembered"] === true;
    return { ...legacyOr(proposal, error), remembered };
  }
  if (isLocalError(error, "TIMEOUT") || isRefusedByHttp(error)) {
    return legacyOr(proposal, error);
  }
  throw error;
}

/**
 * True for the refusal of an HTTP server that says nothing in JSON-RPC: 401 and 403 are about authorization, 429 about load, 5xx about the
 * server's health; none of these says anything about the era.
 */
function isRefusedByHttp(error: unknown): boolean {
  const status = error instanceof Error && "status" in error ? error.status : undefined;
  const authorization = status === 401 || status === 403;
  return typeof status === "number" && status >= 400 && status < 500 && !authorization && status !== 429;
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

function isDiscoverResult(value: unknown): value is DiscoverResult {
  return isRecord(value) && Array.isArray(value["supportedVersions"]) && isRecord(value["capabilities"]);
}

async function initialize(peer: Peer, rules: RevisionRules, proposal: Proposal): Promise<Negotiated> {
  const params = {
    protocolVersion: rules.revision,
    capabilities: proposal.capabilities(rules),
    clientInfo: downConvertImplementation(proposal.info, rules),
  };
  // a client never cancels initialize, so an abort ends the whole connection instead (see `Client.connect`).
  const result = await peer.call("initialize", params);
  if (!isInitializeResult(result)) {
    throw new McpError(
      "INVALID_RESULT",
      "The server's answer to initialize lacks protocolVersion or capabilities.",
    );
  }
  const agreed = proposal.revisions.find(result.protocolVersion);
  if (agreed?.era !== "legacy") {
    const message = `The server insists on protocol version ${result.protocolVersion.slice(0, 40)}, which this client does not speak.`;
    throw new McpError("UNSUPPORTED_REVISION", message);
  }
  await peer.notify("notifications/initialized");
  return {
    revision: agreed.revision,
    capabilities: result.capabilities,
    ...(isImplementation(result.serverInfo) ? { serverInfo: result.serverInfo } : {}),
    ...(result.instructions === undefined ? {} : { instructions: result.instructions }),
  };
}

function isInitializeResult(value: unknown): value is InitializeResult {
  return isRecord(value) && typeof value["protocolVersion"] === "string" && isRecord(value["capabilities"]);
}
