import { context, SpanKind } from "@opentelemetry/api";
import type { Network } from "@tenon/jsonrpc2";
import type {
  ClientRequest,
  ClientSession,
  ReceivingMiddleware,
  SendingCall,
  SendingMiddleware,
  ServerRequest,
  ServerSession,
} from "@tenon/mcp";
import { modernVersion } from "@tenon/protocol";

import type { Described } from "./describe.ts";
import type { Observed, Observer } from "./observer.ts";

/**
 * Observes what a client or a server sends.
 *
 * @param network - The way to the remote peer. Default: the `network` of the session.
 */
export function sending<S extends ClientSession | ServerSession | undefined>(
  observer: Observer,
  network?: Network,
): SendingMiddleware<S> {
  return (next) => (call) => {
    if (!observer.isActive) {
      return next(call);
    }
    const parent = context.active();
    const observed = observer.begin(describeSent(call, network), SpanKind.CLIENT, { parent, links: [] });
    const { span } = observed;
    const meta = metaOf(call.params);
    const sent = span === undefined ? meta : observer.propagation.inject(meta, span, parent);
    const traced = sent === meta ? call : { ...call, params: { ...call.params, _meta: sent } };
    return ended(() => context.with(observed.context, () => next(traced)), observed);
  };
}

/** Observes what a client or a server receives. */
export function receiving<R extends ClientRequest | ServerRequest>(
  observer: Observer,
): ReceivingMiddleware<R> {
  return (next) => (request) => {
    if (!observer.isActive) {
      return next(request);
    }
    const http = "http" in request ? request.http : undefined;
    const from = observer.propagation.extract(request.meta, http);
    const observed = observer.begin(describeReceived(request), SpanKind.SERVER, from);
    let result: unknown;
    try {
      result = context.with(observed.context, () => next(request));
    } catch (error) {
      observed.fail(error);
      throw error;
    }
    if (result instanceof Promise) {
      return ended(() => result, observed);
    }
    observed.succeed(result);
    return result;
  };
}

async function ended(run: () => unknown, observed: Observed): Promise<unknown> {
  try {
    const value = await run();
    observed.succeed(value);
    return value;
  } catch (error) {
    observed.fail(error);
    throw error;
  }
}

function describeSent<S extends ClientSession | ServerSession | undefined>(
  { method, params = {}, session }: SendingCall<S>,
  network: Network | undefined,
): Described {
  return {
    method,
    params: params as Readonly<Record<string, unknown>>,
    session,
    network: network ?? session?.network,
    revision: session?.revision ?? proposedIn(params),
    isHttp: false,
  };
}

/** The protocol version of a handshake. */
function proposedIn(params: object): string | undefined {
  const version = modernVersion(params) ?? ("protocolVersion" in params ? params.protocolVersion : undefined);
  return typeof version === "string" ? version : undefined;
}

function describeReceived(request: ClientRequest | ServerRequest): Described {
  const { method, params, session, id } = request;
  const http = "http" in request ? request.http : undefined;
  return {
    method,
    params,
    session,
    network: session?.network,
    revision: "revision" in request ? request.revision : session?.revision,
    id,
    clientAddress: http?.address,
    isHttp: http !== undefined,
  };
}

const metaOf = (params: object | undefined): Readonly<Record<string, unknown>> | undefined =>
  params !== undefined && "_meta" in params && typeof params._meta === "object" && params._meta !== null
    ? (params._meta as Readonly<Record<string, unknown>>)
    : undefined;
