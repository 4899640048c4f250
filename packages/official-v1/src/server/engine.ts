/**
 * Extends official servers, so that they handle modern requests. The code for modern requests is
 * loaded with the first of them.
 *
 * @packageDocumentation
 */

import type { Scope } from "@tenon/jsonrpc2";
import { metaOf, MetaKey } from "@tenon/protocol";
import { Server } from "mcp-sdk-1/server/index.js";
import type { RequestOptions } from "mcp-sdk-1/shared/protocol.js";

import "../shared/engine.ts";
import {
  extendOnce,
  hooks,
  identityOf,
  replace,
  type Hooks,
  type Internals,
  type Named,
  type Schema,
} from "../shared/internals.ts";
import { readCapabilities } from "./capabilities.ts";
import type * as modernHttpModule from "./modern-http.lazy.ts";
import type * as modernModule from "./modern.lazy.ts";

/** The parts of the official `Server` that are private in its declarations. */
export interface ServerInternals extends Internals {
  readonly _serverInfo: { readonly name: string; readonly version: string };
  readonly _instructions: string | undefined;
  readonly _capabilities: Readonly<Record<string, unknown>>;
  _clientCapabilities: unknown;
  _clientVersion: unknown;
  oninitialized?: () => unknown;
}

/** The description that a client sent. */
interface Told {
  capabilities?: unknown;
  info?: unknown;
}

const told = new WeakMap<object, Told>();
const modernClients = new WeakSet<object>();

let modern: typeof modernModule | undefined;
/** Loads the code for modern requests. */
const loadModern = loadingOnce(() => import("./modern.lazy.ts").then((module) => (modern = module)));

function loadingOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      // The next request tries again.
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

async function serve(protocol: ServerInternals, scope: Scope): Promise<unknown> {
  const module = modern ?? (await loadModern());
  if (scope.method !== "server/discover" && !modernClients.has(protocol)) {
    // Programs prepare for their client when it has initialized, and a modern client never does.
    modernClients.add(protocol);
    const meta = metaOf(scope.params);
    told.set(protocol, {
      capabilities: readCapabilities(meta?.[MetaKey.clientCapabilities] ?? {}),
      info: meta?.[MetaKey.clientInfo],
    });
    await protocol.oninitialized?.();
  }
  return module.serve(protocol, scope);
}

function request(
  protocol: ServerInternals,
  wanted: Named,
  schema: Schema,
  options: RequestOptions,
): Promise<unknown> | undefined {
  const run = modern?.runOf(protocol);
  if (modern !== undefined && run !== undefined) {
    return modern.ask(run, wanted, schema, options);
  }
  if (!modernClients.has(protocol)) {
    return undefined;
  }
  return Promise.reject(
    new Error(
      `${wanted.method} can only be sent while a request of the client is being handled: this protocol version has no other requests of servers.`,
    ),
  );
}

function notify(protocol: ServerInternals, notification: Named): Promise<void> | undefined {
  const sent = modern?.notify(protocol, notification);
  return sent ?? (modernClients.has(protocol) ? Promise.resolve() : undefined);
}

const serverHooks: Hooks = {
  serve: (protocol, scope) => serve(protocol as ServerInternals, scope),
  request: (protocol, wanted, schema, options) =>
    request(protocol as ServerInternals, wanted, schema, options),
  notify: (protocol, notification) => notify(protocol as ServerInternals, notification),
  ended: (protocol) => {
    modernClients.delete(protocol);
    modern?.ended(protocol as ServerInternals);
  },
};

/** Loads the code for modern requests over HTTP. */
export const loadModernHttp: () => Promise<typeof modernHttpModule> = extendOnce(
  Server.prototype,
  "server",
  () => {
    extend();
    return loadingOnce(async () => {
      await loadModern();
      return import("./modern-http.lazy.ts");
    });
  },
);

function extend(): void {
  replace(Server.prototype, {
    [hooks]: serverHooks,
    // Handlers read these: a modern client sends them with every request.
    get _clientCapabilities(): unknown {
      const self = identityOf(this as unknown as ServerInternals);
      const ofRun = modern?.runOf(self)?.request.client.capabilities;
      return ofRun === undefined ? told.get(self)?.capabilities : readCapabilities(ofRun);
    },
    set _clientCapabilities(capabilities: unknown) {
      const self = identityOf(this);
      modernClients.delete(self);
      told.set(self, { ...told.get(self), capabilities });
    },
    get _clientVersion(): unknown {
      const self = identityOf(this as unknown as ServerInternals);
      return modern?.runOf(self)?.request.client.info ?? told.get(self)?.info;
    },
    set _clientVersion(info: unknown) {
      const self = identityOf(this);
      told.set(self, { ...told.get(self), info });
    },
  });
}
