/**
 * Extends official clients, so that they use the modern era if a server has it. The code for it is
 * loaded when a client connects.
 *
 * @packageDocumentation
 */

import type { Connection } from "@tenon/jsonrpc2";
import { Client } from "mcp-sdk-1/client/index.js";
import {
  DEFAULT_REQUEST_TIMEOUT_MSEC as defaultTimeout,
  type RequestOptions,
} from "mcp-sdk-1/shared/protocol.js";
import type { Transport } from "mcp-sdk-1/shared/transport.js";
import { LATEST_PROTOCOL_VERSION as latestOfficial } from "mcp-sdk-1/types.js";

import { failureOf } from "../shared/call.ts";
import { linkOf } from "../shared/engine.ts";
import {
  extendOnce,
  hooks,
  replace,
  type Hooks,
  type Internals,
  type Named,
  type Negotiated,
  type Schema,
} from "../shared/internals.ts";
import { settings } from "../shared/settings.ts";
import type { BriefOptions, ModernClientSession } from "./modern.lazy.ts";

/** The parts of the official `Client` that are private in its declarations. */
export interface ClientInternals extends Internals {
  readonly _clientInfo: { readonly name: string; readonly version: string };
  readonly _capabilities: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;
}

/** The parts of the official HTTP transport that are private in its declarations. */
export interface HttpInternals {
  readonly _url: URL;
  readonly _authProvider: unknown;
  /** Sends a request with the `requestInit` of the program. */
  readonly _fetchWithInit: typeof fetch;
}

/** The official client transport for Streamable HTTP, without a login or a session of its own. */
function isHttp(transport: Transport): transport is Transport & HttpInternals {
  const { _url: url, _authProvider: provider } = transport as Partial<HttpInternals>;
  return (
    url instanceof URL &&
    "_fetchWithInit" in transport &&
    provider === undefined &&
    transport.sessionId === undefined
  );
}

/** The official client transport for child processes, which its class identifies less reliably. */
function isStdio(transport: Transport): boolean {
  return "_serverParams" in transport && "pid" in transport;
}

function negotiator(
  protocol: Internals,
  transport: Transport,
): ((connection: Connection) => Promise<Negotiated>) | undefined {
  if (settings.modernHttp && isHttp(transport)) {
    return async (connection) => {
      const { negotiateHttp } = await import("./modern-http.lazy.ts");
      return negotiateHttp(protocol as ClientInternals, transport, connection);
    };
  }
  return settings.modernStdio && isStdio(transport)
    ? async (connection) => {
        const { negotiate } = await import("./modern.lazy.ts");
        return negotiate(protocol as ClientInternals, connection);
      }
    : undefined;
}

function request(
  protocol: Internals,
  { method, params }: Named,
  _schema: Schema,
  options: RequestOptions,
): Promise<unknown> | undefined {
  const session = linkOf(protocol)?.session as ModernClientSession | undefined;
  if (session === undefined) {
    return undefined;
  }
  switch (method) {
    case "initialize":
      return Promise.resolve({ protocolVersion: latestOfficial, ...session.initialized });
    case "logging/setLevel":
      session.setLevel(params?.["level"]);
      return Promise.resolve({});
    case "ping":
      return briefly(options, (brief) => session.ping(brief));
    case "resources/subscribe":
      return briefly(options, (brief) => session.subscribe(String(params?.["uri"]), brief));
    case "resources/unsubscribe":
      session.unsubscribe(String(params?.["uri"]));
      return Promise.resolve({});
    default:
      return undefined;
  }
}

/** A request that the session sends in its own way, with the official options and errors. */
async function briefly(
  options: RequestOptions,
  send: (options: BriefOptions) => Promise<void>,
): Promise<object> {
  const { signal, timeout = defaultTimeout } = options;
  signal?.throwIfAborted();
  try {
    await send({ signal, totalTimeoutMs: Math.max(1, timeout) });
    return {};
  } catch (error) {
    throw failureOf(error, options, timeout, 0);
  }
}

const clientHooks: Hooks = {
  negotiator,
  request,
  notify: (protocol, { method }) =>
    method === "notifications/initialized" && linkOf(protocol)?.session !== undefined
      ? Promise.resolve()
      : undefined,
};

extendOnce(Client.prototype, "client", () => {
  replace(Client.prototype, { [hooks]: clientHooks });
});
