import { checkOptionNames, isRecord, readLimits } from "@tenon/base";
import type { Connection, Transport } from "@tenon/jsonrpc2";

import type { ChatModel } from "./chat/model.ts";
import { authFact } from "./engine/auth-fact.ts";
import { createEngine } from "./engine/engine.ts";
import { inspectorLimits, type InspectorLimits } from "./engine/limits.ts";
import { createMemorySavedCalls, type SavedCalls } from "./engine/saved.ts";
import type { InspectorServers, InspectorSource } from "./engine/source.ts";
import { createBrowsers } from "./server/browsers.ts";
import { createHandler } from "./server/handler.ts";

/** Options of {@link createInspector}. */
export interface InspectorOptions {
  /** The origin of the messages: a server, a host and its server, or a recording. */
  readonly source: InspectorSource;
  /** The path of the page, with `/` at both ends. Default: `/`. */
  readonly path?: string | undefined;
  /**
   * The values of `Host` that are accepted, such as `["dev.example:8080"]`. By default the names
   * of this machine that no other machine can have, on any port.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /**
   * The URL of a sandbox proxy on another origin: `sandboxProxy` of `@tenon/apps/host` makes its
   * document. With it the page can show views of tools in a frame; without it the page shows their
   * source and their policy. By default there is none.
   */
  readonly sandbox?: string | undefined;
  /** Keeps the calls that the person stores. By default they are lost with the process. */
  readonly savedCalls?: SavedCalls | undefined;
  /**
   * The servers that the person can open in the page, in addition to a live source. By default the
   * person can open no others.
   */
  readonly servers?: InspectorServers | undefined;
  /**
   * The model that the person can chat with in the page. It may call the tools of a server, after
   * the person has allowed each call. It stays in this process, with its key. By default there is
   * no chat.
   */
  readonly model?: ChatModel | undefined;
  /** Numbers that the inspector does not exceed. Each limit has its own default. */
  readonly limits?: InspectorLimits | undefined;
}

/** The headers of the requests of one page, and their values. */
export interface InspectorGrant {
  readonly cookie: string;
  readonly "x-inspector-key": string;
}

/** An inspector: a page, and the conversations on it. */
export interface Inspector extends AsyncDisposable {
  /**
   * Responds to a request for the page, or of the page. Never rejects. `Host` has to be among the
   * headers of the request, or in its URL.
   */
  readonly handle: (request: Request) => Promise<Response>;
  /**
   * A link that opens the page in one browser, once: the code in its fragment is exchanged for a
   * cookie. An unused link gives access to the session, so show it to the person alone.
   *
   * @param origin - Where {@link handle} is mounted, such as `http://127.0.0.1:4000`.
   */
  link(origin: string | URL): URL;
  /**
   * Admits a page in this process, where {@link handle} is called without a network and no browser
   * keeps cookies. Requests with both headers have the access that a link gives.
   */
  grant(): InspectorGrant;
  /**
   * A transport whose conversations the page shows. Wrap what a host or a server connects with.
   *
   * @param side - The side that uses the transport. Default: `"client"`.
   */
  observe<C extends Connection>(transport: Transport<C>, side?: "client" | "server"): Transport<C>;
  /**
   * Shows one line of a cassette. The inspector is a sink for `recordTransport` of
   * `@tenon/testing/cassette`.
   */
  write(line: string): void;
  /** A `fetch` whose exchanges the page shows, without bodies and credentials. */
  observeFetch(inner: typeof fetch): typeof fetch;
  /** Shows an event of a login: pass it as `onEvent` to the providers of `@tenon/auth/client`. */
  authEvent(event: { readonly type: string }): void;
  /** Ends the session, the streams and the logins of browsers. Idempotent. */
  close(): Promise<void>;
}

/**
 * Creates an inspector. A live source connects at once; the page shows if that fails.
 *
 * @throws `TypeError` for options that do not exist or are out of range.
 */
export function createInspector(options: InspectorOptions): Inspector {
  checkOptionNames(
    "createInspector",
    options,
    "source:object path allowedHosts sandbox savedCalls servers model:object limits",
    inspectorLimits,
  );
  const { source, path = "/", allowedHosts, sandbox, servers, model } = options;
  const { savedCalls = createMemorySavedCalls() } = options;
  if (!isRecord(source)) {
    throw new TypeError('createInspector needs a source, such as { kind: "live", … }.');
  }
  if (!path.startsWith("/") || !path.endsWith("/")) {
    throw new TypeError(`path must begin and end with "/"; got ${JSON.stringify(path)}.`);
  }
  if (sandbox !== undefined && !URL.canParse(sandbox)) {
    throw new TypeError(`sandbox must be a URL; got ${JSON.stringify(sandbox)}.`);
  }
  const limits = readLimits(options.limits, inspectorLimits);
  const engine = createEngine({ source, limits, store: savedCalls, sandbox, servers, model });
  const browsers = createBrowsers(limits, path);
  const closing = new AbortController();
  const hosts = allowedHosts?.map((host) => host.toLowerCase());
  const inspector: Inspector = {
    handle: createHandler({
      engine,
      browsers,
      limits,
      path,
      hosts,
      frames: sandbox === undefined ? [] : [new URL(sandbox).origin],
      signal: closing.signal,
    }),
    link(origin) {
      const url = new URL(path, origin);
      url.hash = `code=${browsers.newCode()}`;
      return url;
    },
    grant() {
      const { cookie, key } = browsers.admit();
      return { cookie, "x-inspector-key": key };
    },
    observe: (transport, side = "client") => engine.observe(transport, side),
    write: (line) => engine.write(line),
    observeFetch: (inner) => engine.fetch(inner),
    authEvent(event) {
      engine.add(authFact(event));
    },
    async close() {
      closing.abort();
      await engine.close();
    },
    [Symbol.asyncDispose]: () => inspector.close(),
  };
  return inspector;
}
