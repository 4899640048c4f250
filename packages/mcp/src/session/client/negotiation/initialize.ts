import { isRecord } from "@tenon/base";
import type { Peer } from "@tenon/jsonrpc2";
import { isRpcError } from "@tenon/jsonrpc2/core";

import { McpError } from "../../../base/error.ts";
import type { Negotiated } from "../../../request/client/session.ts";
import { downConvertImplementation } from "../../../request/implementation.ts";
import type { RevisionRules } from "../../../revisions/rules.ts";
import { supportedIn } from "./choose.ts";
import { describeServer } from "./describe-server.ts";
import type { Proposal } from "./proposal.ts";

/** The event that the response to `initialize` causes, with its data. */
export type Opened =
  | { readonly event: "agreed"; readonly negotiated: Negotiated }
  | { readonly event: "redirected"; readonly rules: RevisionRules; readonly error: unknown }
  | { readonly event: "failed"; readonly error: unknown };

/** Sends `initialize`. Never rejects. */
export async function initialize(peer: Peer, rules: RevisionRules, proposal: Proposal): Promise<Opened> {
  try {
    return { event: "agreed", negotiated: await handshake(peer, rules, proposal) };
  } catch (error) {
    // Some servers list their versions with other codes than -32022.
    const supported = isRpcError(error) ? supportedIn(error.data) : [];
    const modern = proposal.revisions.modern.find(({ revision }) => supported.includes(revision));
    return modern === undefined ? { event: "failed", error } : { event: "redirected", rules: modern, error };
  }
}

async function handshake(peer: Peer, rules: RevisionRules, proposal: Proposal): Promise<Negotiated> {
  const params = {
    protocolVersion: rules.revision,
    capabilities: proposal.capabilities(rules),
    clientInfo: downConvertImplementation(proposal.info, rules),
  };
  // a client never cancels initialize. An abort of the attempt ends the whole connection
  // instead (see `Client.connect`); `rest` only stops the wait for a response that is not needed.
  const result = await peer.call("initialize", params, { signal: proposal.rest });
  if (!isRecord(result) || typeof result["protocolVersion"] !== "string") {
    throw new McpError("INVALID_RESULT", "Invalid initialize result: protocolVersion is missing.");
  }
  const { protocolVersion, capabilities, serverInfo, instructions } = result;
  const agreed = proposal.revisions.find(protocolVersion);
  if (agreed?.era !== "legacy") {
    const message = `The server insists on protocol version ${protocolVersion.slice(0, 40)}, which this client does not speak.`;
    throw new McpError("UNSUPPORTED_REVISION", message);
  }
  const said = { capabilities, serverInfo, instructions };
  return { revision: agreed.revision, ...describeServer("initialize", said, proposal.tolerate) };
}
