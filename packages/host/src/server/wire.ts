import { isRecord } from "@tenon/base";
import { isLocalError, type Connection, type Outgoing, type Transport } from "@tenon/jsonrpc2/core";

import type { HostDelivered } from "../error.ts";

/** Traces one outgoing request. */
export interface Trace {
  delivered: HostDelivered;
  /** How often it was handed to the transport. */
  writes: number;
}

const traceKey = Symbol("@tenon/host/trace");

/** A trace of a request that was not sent yet. */
export function createTrace(): Trace {
  return { delivered: "no", writes: 0 };
}

/**
 * `params` with the trace attached where only this process sees it: JSON has no symbols, and copies
 * of an object keep them.
 */
export function traced<P extends object>(params: P, trace: Trace): P {
  return { ...params, [traceKey]: trace };
}

function traceOf(message: Outgoing): Trace | undefined {
  const params = "params" in message ? message.params : undefined;
  return params === undefined ? undefined : (params as { [traceKey]?: Trace })[traceKey];
}

/**
 * A transport that marks the traces of the requests that leave.
 *
 * @param onConnection - Called with each new connection, including connections that a negotiation
 *   abandons.
 */
export function tapTransport(inner: Transport, onConnection: (connection: Connection) => void): Transport {
  return {
    async connect(options) {
      const connection = await inner.connect(options);
      onConnection(connection);
      return tapConnection(connection);
    },
    authorization: inner.authorization,
  };
}

function tapConnection(inner: Connection): Connection {
  const connection: Connection = {
    read: () => inner.read(),
    write(message, options) {
      const trace = traceOf(message);
      if (trace !== undefined) {
        trace.writes++;
        trace.delivered = "maybe";
      }
      return inner.write(message, options);
    },
    close: (reason) => inner.close(reason),
    get sessionId() {
      return inner.sessionId;
    },
    get answersUnidentified() {
      return inner.answersUnidentified;
    },
    get diagnosis() {
      return inner.diagnosis;
    },
    started: inner.started,
    network: inner.network,
    [Symbol.asyncDispose]: () => connection.close(),
  };
  return connection;
}

/**
 * For transports whose errors do not state what happened to the request: there was no connection to
 * send it on.
 */
const unreachable = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"]);

/**
 * Whether the error proves that the server did not act on the request: the request or its
 * credentials were rejected, the request was too large, or there was no connection. `delivered` of
 * the errors of the HTTP transports covers all attempts; their causes may describe only some of
 * them.
 */
export function provesUndelivered(error: unknown): boolean {
  if (
    (isLocalError(error, "LIMIT_EXCEEDED") && error.received === undefined) ||
    isLocalError(error, "NOT_SERIALIZABLE")
  ) {
    return true;
  }
  // The cause of a lost connection may be the failure of another request.
  let cause: unknown = isLocalError(error) ? undefined : error;
  for (let depth = 0; isRecord(cause) && depth < 8; cause = cause["cause"], depth++) {
    if (cause["delivered"] !== undefined) {
      return cause["delivered"] === "no";
    }
    if (unreachable.has(String(cause["code"])) || refusesCredentials(cause)) {
      return true;
    }
  }
  return false;
}

/**
 * Returns whether a request or its response was lost in transit while the session continues. Over
 * HTTP each request has its own connection.
 */
export function isNetworkError(error: unknown): boolean {
  return isRecord(error) && error["code"] === "NETWORK";
}

/** Codes of the errors of `@tenon/auth` that a login may cure. */
const loginCodes: ReadonlySet<unknown> = new Set([
  "NEEDS_USER",
  "SCOPE_DENIED",
  "USER_DENIED",
  "CALLBACK_TIMEOUT",
  "TOKEN_REJECTED",
  "GRANT_EXPIRED",
]);

/** Errors of providers have the status of the response that refused a request. */
function refusesCredentials({ status, code }: Readonly<Record<string, unknown>>): boolean {
  return status === 401 || status === 403 || loginCodes.has(code);
}

/**
 * Returns whether a server requires other credentials: HTTP status 401, or an error of a provider
 * that a login may cure, anywhere among the causes.
 */
export function wantsAuth(error: unknown): boolean {
  for (let cause = error, depth = 0; isRecord(cause) && depth < 8; cause = cause["cause"], depth++) {
    if (cause["status"] === 401 || loginCodes.has(cause["code"])) {
      return true;
    }
  }
  return false;
}
