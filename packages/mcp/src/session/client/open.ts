import {
  methodNotFound,
  Peer,
  type Authorization,
  type Connection,
  type Notification,
  type RequestId,
  type Scope,
} from "@tenon/jsonrpc2";
import { IdTable, prepareMember } from "@tenon/jsonrpc2/transport";
import { MetaKey, metaOf, wireFacts, type ClientCapabilities } from "@tenon/protocol";

import { McpError } from "../../base/error.ts";
import { downConvertCapabilities } from "../../feature/interaction/capability.ts";
import { refuseUndeclared } from "../../feature/interaction/client.ts";
import { deliver } from "../../feature/subscriptions/client/running.ts";
import type { InnerClientRequest } from "../../request/client/request.ts";
import { type ClientOfSession, type Negotiated } from "../../request/client/session.ts";
import type { Change } from "../../request/client/subscription.ts";
import { cancellation } from "../cancellation.ts";
import { isHealthCheck, keepingAlive } from "../keep-alive.ts";
import type { ProgressTokens } from "./agreement.ts";
import type { ClientDefinition } from "./definition.ts";
import { sendHandshake } from "./handshake.ts";
import { negotiate } from "./negotiate.ts";
import { modernMeta, type Proposal } from "./negotiation/proposal.ts";
import { withInputs } from "./own-capabilities.ts";
import { LiveClientRequest } from "./request.ts";
import { LiveClientSession } from "./session.ts";
import { UnexpectedMessages } from "./unexpected.ts";

/** The negotiation of {@link openClientSession}. */
export interface Opening {
  readonly signal: AbortSignal | undefined;
  /** The result of an earlier negotiation. */
  readonly prior: Negotiated | undefined;
  /** Whether to try the modern era. */
  readonly probe: boolean;
  /** The credentials of the transport. */
  readonly authorization: Authorization | undefined;
}

/**
 * Maximum number of notifications that are queued before the session exists. A legacy server may
 * log before `notifications/initialized`.
 *
 * @source R-167
 */
const maxEarly = 256;

/** The end of the handshake. */
const ready = "notifications/initialized";

/**
 * Makes a session out of a connection: agrees with the server, or closes the connection and
 * rejects.
 */
export async function openClientSession(
  client: ClientOfSession,
  definition: ClientDefinition,
  connection: Connection,
  opening: Opening,
): Promise<LiveClientSession> {
  const { signal } = opening;
  const { maxInFlight, timeoutMs, totalTimeoutMs } = definition.limits;
  const { tolerate } = definition;
  const tokens: ProgressTokens = new IdTable();
  const early: Scope[] = [];
  let session: LiveClientSession | undefined;
  const unexpected = new UnexpectedMessages(definition.onError);
  const peer: Peer = new Peer(connection, {
    handler: (scope) => {
      const isEarly = session === undefined && scope.id === undefined && early.length < maxEarly;
      return isEarly ? void early.push(scope) : receiveReporting(scope);
    },
    sending: [
      (next) => (call) =>
        session === undefined || call.method === ready
          ? sendHandshake(client, call, peer.network, next)
          : definition.middleware.send(call, session, next, definition),
    ],
    cancellation,
    relate: (notification) => relatedCall(notification, tokens),
    batches: () => wireFacts(session?.rules.revision).batches === true,
    answerRefused: () => session?.era !== "modern",
    limits: { maxInFlight, timeoutMs, totalTimeoutMs },
    isUrgent: isHealthCheck,
    nextId: () => unexpected.nextId(),
    onUnexpected: (message) => {
      unexpected.dropped(message);
    },
    onError: definition.onError,
    clock: definition.clock,
  });
  const receiveReporting = (scope: Scope): unknown => receive(scope, peer, definition, session, unexpected);
  const logins = holdForUser(peer, opening.authorization);
  const rest = new AbortController();
  const context: Context = { logins, rest: rest.signal, started: connection.started };
  const abort = (): void => void peer.close({ drainMs: 0, reason: signal?.reason });
  signal?.addEventListener("abort", abort);
  if (signal?.aborted === true) {
    abort();
  }
  try {
    session = await agree(client, definition, peer, opening, { ...context, tokens });
    for (const scope of early.splice(0)) {
      receiveEarly(scope, receiveReporting, definition.onError);
    }
    if (session.era === "legacy") {
      // R-165; sent only after the session exists, because a server may send a request as soon as
      // it receives this.
      await peer.notify(ready).catch((error: unknown) => {
        if (!isRefusal(error)) {
          throw error;
        }
        tolerate("refusedNotification", error);
      });
    }
    rest.abort();
    await stayAlive(session, peer, definition);
    return session;
  } catch (error) {
    await peer.close({ drainMs: 0, reason: error });
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

/**
 * Whether a server has refused the method of a message. Other statuses concern the sender, the
 * session or the load.
 */
function isRefusal(error: unknown): error is Error {
  return /^(?:4(?:0[056]|15|22)|50[01])$/.test(String((error as { status?: unknown }).status));
}

/** The properties of a negotiation that depend on its connection. */
type Context = Pick<Proposal, "logins" | "rest" | "started">;

/**
 * Pauses the idle timeouts while requests wait for a user who logs in: the server has not got them.
 * Returns `logins` of the {@link Proposal}.
 */
function holdForUser(peer: Peer, authorization: Authorization | undefined): () => number {
  let changes = 0;
  let release = (): void => {};
  const forget = authorization?.waiting?.((isWaiting) => {
    // Odd exactly while the user is awaited.
    changes += (changes % 2 === 1) === isWaiting ? 2 : 1;
    release();
    release = isWaiting ? peer.holdIdleTime() : (): void => {};
  });
  if (forget !== undefined) {
    void peer.closed.then(forget);
  }
  return () => changes;
}

async function stayAlive(
  session: LiveClientSession,
  peer: Peer,
  { keepAlive: options, clock }: ClientDefinition,
): Promise<void> {
  if (options !== undefined) {
    const { keepAlive } = await keepingAlive.use((module) => module);
    const stop = keepAlive(options, clock, {
      received: () => peer.received,
      ask: (totalTimeoutMs) => session.ping({}, { totalTimeoutMs }),
      fail: (error) => void peer.close({ drainMs: 0, error }),
    });
    void session.closed.then(stop);
  }
}

async function agree(
  client: ClientOfSession,
  definition: ClientDefinition,
  peer: Peer,
  { prior, probe, authorization }: Opening,
  { tokens, ...context }: Context & { readonly tokens: ProgressTokens },
): Promise<LiveClientSession> {
  const { info, revisions, limits, middleware, clock, tolerate } = definition;
  const proposal: Proposal = {
    info,
    capabilities: (rules) =>
      downConvertCapabilities(
        withExtension(
          withInputs(definition.declaration.capabilities(rules), definition.inputs?.(rules.era)),
          authorization?.extension,
        ),
        rules,
      ),
    revisions,
    probeTimeoutMs: limits.probeTimeoutMs,
    timeoutMs: limits.timeoutMs,
    clock,
    tolerate,
    ...context,
  };
  const known = prior !== undefined && probe ? revisions.find(prior.revision) : undefined;
  const negotiated =
    prior !== undefined && known?.era === "modern" ? prior : await negotiate(peer, proposal, probe);
  const rules = revisions.find(negotiated.revision);
  if (rules === undefined) {
    throw new McpError("UNSUPPORTED_REVISION", `This client does not speak ${negotiated.revision}.`);
  }
  const meta = rules.era === "modern" ? prepareMember("_meta", modernMeta(rules, proposal)) : undefined;
  const declared = proposal.capabilities(rules);
  const receiveInput = (request: InnerClientRequest): unknown => middleware.receive(request);
  return new LiveClientSession(
    client,
    definition,
    peer,
    { negotiated, rules, meta, declared, authorization, receive: receiveInput },
    tokens,
  );
}

/** Declares the extension by which credentials are obtained. @source R-710 */
function withExtension(capabilities: ClientCapabilities, extension: string | undefined): ClientCapabilities {
  return extension === undefined
    ? capabilities
    : { ...capabilities, extensions: { [extension]: {}, ...capabilities.extensions } };
}

function relatedCall({ method, params }: Notification, tokens: ProgressTokens): RequestId | undefined {
  if (method !== "notifications/progress" || params === undefined || !("progressToken" in params)) {
    return undefined;
  }
  const token = params.progressToken as string | number;
  // Some servers turn numbers into strings.
  return tokens.get(token) ?? (typeof token === "string" ? tokens.get(Number(token)) : undefined);
}

/** Handles a notification that arrived before the session was created. */
function receiveEarly(
  scope: Scope,
  take: (scope: Scope) => unknown,
  onError: (error: unknown) => void,
): void {
  const handle = async (): Promise<void> => {
    await take(scope);
  };
  handle().catch(onError);
}

/**
 * Handles requests of servers. Modern servers send no requests, and get no responses.
 *
 * @source
 */
function receive(
  scope: Scope,
  peer: Peer,
  definition: ClientDefinition,
  session: LiveClientSession | undefined,
  unexpected: UnexpectedMessages,
): unknown {
  const isRequest = scope.id !== undefined;
  if (isRequest && session?.era === "modern") {
    unexpected.refused(scope.method);
    peer.cancel(scope.id, "Servers of this revision send no requests.");
    return undefined;
  }
  const info = session?.rules.methods[scope.method];
  if (!isRequest && info === undefined && session?.era === "modern") {
    // An extension may notify the listens that have a field of the extension in their filter.
    const { method, params = {} } = scope;
    deliver(session, metaOf(params)?.[MetaKey.subscriptionId], {
      method,
      params: params as Change["params"],
    });
  }
  const exists =
    session === undefined ? scope.method === "ping" : info !== undefined && info.sentBy !== "client";
  const custom =
    session === undefined ? undefined : definition.extensions.get(scope.method, session.era)?.definition;
  const takes =
    custom !== undefined &&
    (custom.kind === "request") === isRequest &&
    definition.extensions.isActive(custom.extension, session?.serverCapabilities);
  // Middleware sees every notification of the protocol version, even without a feature for it.
  if (!takes && (!exists || (isRequest && !definition.methods.has(scope.method)))) {
    if (isRequest) {
      unexpected.refused(scope.method);
      throw methodNotFound(scope.method);
    }
    return undefined;
  }
  if (isRequest && session !== undefined) {
    try {
      refuseUndeclared(session.declaredCapabilities, scope, session.rules);
    } catch (error) {
      unexpected.refused(scope.method);
      throw error;
    }
  }
  const answer = definition.middleware.receive(new LiveClientRequest(session, scope));
  return isRequest && answer instanceof Promise ? whileHeld(peer, scope, answer) : answer;
}

/**
 * Pauses the idle timeouts while a user responds to a request of the server, because the server
 * itself waits for that response.
 */
async function whileHeld(peer: Peer, { signal }: Scope, answer: Promise<unknown>): Promise<unknown> {
  const release = peer.holdIdleTime();
  // A handler that continues although its result is no longer needed does not delay the session.
  signal.addEventListener("abort", release);
  try {
    return await answer;
  } finally {
    release();
  }
}
