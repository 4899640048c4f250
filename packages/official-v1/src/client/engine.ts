/**
 * Extends official clients, so that they use the modern era if a server has it. The code for it is
 * loaded when a client connects.
 *
 * @packageDocumentation
 */

import { anySignal, timeLimit } from "@tenon/base";
import { Client } from "mcp-sdk-1/client/index.js";
import {
  DEFAULT_REQUEST_TIMEOUT_MSEC as defaultTimeout,
  type RequestOptions,
} from "mcp-sdk-1/shared/protocol.js";
import type { Transport } from "mcp-sdk-1/shared/transport.js";
import {
  ErrorCode,
  LATEST_PROTOCOL_VERSION as latestOfficial,
  LoggingLevelSchema,
  McpError,
} from "mcp-sdk-1/types.js";

import { failureOf } from "../shared/call.ts";
import { linkOf } from "../shared/engine.ts";
import {
  extendOnce,
  hooks,
  identityOf,
  replace,
  type Hooks,
  type Internals,
  type Named,
  type Negotiate,
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

/** The options of `connect`, while it starts: the official code uses them for `initialize` only. */
const connecting = new WeakMap<object, RequestOptions>();

function negotiator(protocol: Internals, transport: Transport): Negotiate | undefined {
  const { signal: given, timeout = Infinity } = connecting.get(protocol) ?? {};
  const limited =
    (negotiate: Negotiate): Negotiate =>
    async (connection, stopped) => {
      const { signal, end } = timeLimit(Math.min(settings.probeTimeoutMs, timeout));
      try {
        const signals = [signal, stopped, ...(given === undefined ? [] : [given])];
        return await negotiate(connection, anySignal(signals));
      } finally {
        end();
      }
    };
  if (settings.modernHttp && isHttp(transport)) {
    return limited(async (connection, signal) => {
      const { negotiateHttp } = await import("./modern-http.lazy.ts");
      return negotiateHttp(protocol as ClientInternals, transport, connection, signal);
    });
  }
  return settings.modernStdio && isStdio(transport)
    ? limited(async (connection, signal) => {
        const { negotiate } = await import("./modern.lazy.ts");
        return negotiate(protocol as ClientInternals, connection, signal);
      })
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
    case "logging/setLevel": {
      const level: unknown = params?.["level"];
      // The session names it in all later requests, which a server would refuse.
      if (!LoggingLevelSchema.safeParse(level).success) {
        return Promise.reject(
          new McpError(
            ErrorCode.InvalidParams,
            `The level must be one of ${LoggingLevelSchema.options.join(", ")}; got ${JSON.stringify(level)}.`,
          ),
        );
      }
      session.setLevel(level);
      return Promise.resolve({});
    }
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
  const { connect } = Client.prototype;
  replace(Client.prototype, {
    [hooks]: clientHooks,
    async connect(this: Client, transport: Transport, options: RequestOptions = {}): Promise<void> {
      const { signal } = options;
      const wasAborted = signal?.aborted === true;
      const self = identityOf(this);
      connecting.set(self, options);
      const connected = connect.call(this, transport, options);
      connecting.delete(self);
      try {
        await connected;
      } catch (error) {
        // A signal that aborts the negotiation aborts `initialize` before it is sent. Officially,
        // that request is in flight already.
        throw signal?.aborted === true && !wasAborted && error === signal.reason
          ? new McpError(ErrorCode.RequestTimeout, String(error))
          : error;
      }
    },
  });
});
