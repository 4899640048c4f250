import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

import { checkOptionNames, readLimits, systemClock, type Clock, type LimitRules } from "@tenon/base";

import type { ExpectedRedirect, OpenReceiver, RedirectReceiver } from "../client/login/receiver.ts";
import { AuthError } from "../shared/error.ts";

/** Options of {@link loopbackReceiver}. */
export interface LoopbackOptions {
  /**
   * The port to listen on. Set it if the authorization server accepts only a fixed redirect URI: a
   * login then fails while the port is in use. Default: `0`, any free port.
   */
  readonly port?: number | undefined;
  /**
   * The host of the redirect URI. `"localhost"` listens on both loopback addresses; use it for
   * authorization servers that do not accept an IP address. Default: `"127.0.0.1"`.
   */
  readonly host?: "127.0.0.1" | "localhost" | undefined;
  /** The path of the redirect URI. Default: `"/callback"`. */
  readonly path?: string | undefined;
  /** Limits of the receiver. Each has its own default. */
  readonly limits?: LoopbackLimits | undefined;
  /** Sets the timer of `limits.timeoutMs`. Default: the clock of the platform. */
  readonly clock?: Clock | undefined;
}

/** Limits of a {@link loopbackReceiver}. */
export interface LoopbackLimits {
  /**
   * Maximum time for the user to come back from the authorization page, in milliseconds. Then the
   * login fails with `CALLBACK_TIMEOUT`. Default: `300_000` (5 minutes).
   */
  readonly timeoutMs?: number | undefined;
}

const limitRules: LimitRules<LoopbackLimits> = { timeoutMs: [300_000, 1] };

/** Maximum number of open connections. A further connection closes the oldest. */
const maxConnections = 64;
/** Maximum size of the headers of a request, in bytes. */
const maxHeaderSize = 8192;
/** Maximum time for a browser to send its request, in milliseconds. */
const requestMs = 5000;
/** How many free ports are tried until both loopback addresses have the same one. */
const maxPorts = 16;

/**
 * Receives authorization responses on a loopback address of this machine (RFC 8252). The receiver
 * listens only while a login is running, and only the response with the expected `state` ends the
 * wait. Its pages are constant.
 *
 * @throws `TypeError` for options that do not exist or are out of range.
 * @example const grant = authorizationCode({ receiver: loopbackReceiver(), open: openBrowser });
 */
export function loopbackReceiver(options: LoopbackOptions = {}): RedirectReceiver {
  checkOptionNames("loopbackReceiver", options, "port host path limits clock", limitRules);
  const { timeoutMs } = readLimits(options.limits, limitRules);
  const { clock = systemClock } = options;
  const { port = 0, host = "127.0.0.1", path = "/callback" } = options;
  if (!/^\/[!$&-;=@-Z_a-z~]*$/.test(path) || path.startsWith("//")) {
    throw new TypeError(`path must be the path of a URL, such as "/callback"; got ${JSON.stringify(path)}.`);
  }
  return {
    async open(signal, expected) {
      signal.throwIfAborted();
      const chosen = expected.host ?? host;
      const earlier = port === 0 ? earlierPort(expected, chosen, path) : undefined;
      const callback = new Callback(expected.state, path);
      const servers = await listen(callback, chosen, port === 0 ? earlier : port, port === 0);
      return callback.start(servers, chosen, signal, { timeoutMs, clock });
    },
  };
}

/** The port of an earlier redirect URI, if it differs from the next one by nothing else. */
function earlierPort({ redirectUri }: ExpectedRedirect, host: string, path: string): number | undefined {
  const url = redirectUri !== undefined && URL.canParse(redirectUri) ? new URL(redirectUri) : undefined;
  return url?.href === `http://${host}:${url?.port}${path}` ? Number(url.port) : undefined;
}

/** Waits for one authorization response. */
class Callback {
  readonly #state: string;
  readonly #path: string;
  readonly #sockets = new Set<Socket>();
  #authority = "";
  #settle: ((parameters: URLSearchParams) => void) | undefined;

  constructor(state: string, path: string) {
    this.#state = state;
    this.#path = path;
  }

  /** A server for one address. It does not listen yet. */
  server(): Server {
    const server = createServer({ maxHeaderSize, requestTimeout: requestMs, headersTimeout: requestMs });
    server.on("request", (request, response) => this.#answer(request, response));
    server.on("connection", (socket) => {
      const [oldest] = this.#sockets;
      if (this.#sockets.size >= maxConnections) {
        oldest?.destroy();
      }
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    return server;
  }

  start(
    servers: readonly Server[],
    host: string,
    signal: AbortSignal,
    { timeoutMs, clock }: { readonly timeoutMs: number; readonly clock: Clock },
  ): OpenReceiver {
    this.#authority = `${host}:${portOf(servers)}`;
    const close = (): void => {
      clock.clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      servers.forEach((server) => server.close());
    };
    let fail: (error: unknown) => void = () => {};
    const response = new Promise<URLSearchParams>((resolve, reject) => {
      this.#settle = (parameters) => {
        close();
        resolve(parameters);
      };
      fail = (error) => {
        close();
        this.#sockets.forEach((socket) => socket.destroy());
        reject(error);
      };
    });
    // A receiver that is closed before its response is awaited is not an unhandled rejection.
    response.catch(() => {});
    const onAbort = (): void => fail(signal.reason);
    const giveUp = (): void => {
      const message = `No authorization response came within ${timeoutMs} ms (limits.timeoutMs). Log in again.`;
      fail(new AuthError("CALLBACK_TIMEOUT", message));
    };
    const timer = clock.setTimeout(giveUp, timeoutMs, true);
    signal.addEventListener("abort", onAbort, { once: true });
    return {
      redirectUri: `http://${this.#authority}${this.#path}`,
      response,
      [Symbol.asyncDispose]: () => {
        fail(new AuthError("CALLBACK_TIMEOUT", "The receiver of the authorization response was closed."));
        return Promise.resolve();
      },
    };
  }

  #answer({ method, url = "", headers }: IncomingMessage, response: ServerResponse): void {
    // The names of other sites can resolve to this machine. Their pages must not learn what happens
    // here.
    if (headers.host !== this.#authority) {
      respond(response, 421, "This address belongs to another page.");
      return;
    }
    const [path = "", query = ""] = url.split(/\?(.*)/s, 2);
    if (path !== this.#path) {
      respond(response, 404, "There is no page here.");
    } else if (method !== "GET") {
      response.setHeader("allow", "GET");
      respond(response, 405, "This page only accepts GET.");
    } else {
      this.#receive(new URLSearchParams(query), response);
    }
  }

  #receive(parameters: URLSearchParams, response: ServerResponse): void {
    const states = parameters.getAll("state");
    const settle = this.#settle;
    if (states.length !== 1 || states[0] !== this.#state || settle === undefined) {
      respond(response, 400, "This link does not belong to the current login. Return to the application.");
      return;
    }
    if (parameters.has("error")) {
      respond(
        response,
        200,
        "The login did not succeed. Close this page and return to the application.",
        "Login refused",
      );
    } else {
      respond(
        response,
        200,
        "Close this page. The application completes the login.",
        "Return to the application",
      );
    }
    // The first response counts. The listeners close, so a second one is refused by the system.
    this.#settle = undefined;
    settle(parameters);
  }
}

/** The style of all pages. It follows the theme of the system. */
const style =
  ":root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:36em;margin:20vh auto;padding:0 24px}h1{font-size:22px}";

/** Allows the style by its digest, and nothing else. */
function contentPolicy(): string {
  const digest = createHash("sha256").update(style).digest("base64");
  return `default-src 'none'; style-src 'sha256-${digest}'; frame-ancestors 'none'`;
}

/** Responds with a page that contains nothing of the request. */
function respond(response: ServerResponse, status: number, text: string, title = "Login"): void {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": contentPolicy(),
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    connection: "close",
  });
  response.end(
    `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${style}</style><h1>${title}</h1><p>${text}</p></html>\n`,
  );
}

/** The loopback addresses of each host. Browsers try both for `localhost`. */
const addresses = { "127.0.0.1": ["127.0.0.1"], localhost: ["127.0.0.1", "::1"] } as const;

/**
 * Listens on all addresses of a host with one port.
 *
 * @param mayChange - Whether to try another port if this one is in use.
 * @throws `AuthError` `LIMIT` if there is no port that is free on all addresses.
 */
async function listen(
  callback: Callback,
  host: keyof typeof addresses,
  port: number | undefined,
  mayChange: boolean,
): Promise<readonly Server[]> {
  let wanted = port ?? 0;
  for (let attempt = 1; ; attempt++) {
    try {
      return await listenOn(callback, addresses[host], wanted);
    } catch (cause) {
      if (!mayChange || !isTaken(cause) || attempt === maxPorts) {
        const place = wanted === 0 ? host : `${host}:${wanted}`;
        const message = `Cannot listen on ${place} for the authorization response. Is another login running, or another program on this port?`;
        throw new AuthError("LIMIT", message, { cause });
      }
      wanted = 0;
    }
  }
}

async function listenOn(
  callback: Callback,
  hosts: readonly string[],
  port: number,
): Promise<readonly Server[]> {
  const servers: Server[] = [];
  let chosen = port;
  try {
    for (const host of hosts) {
      const server = callback.server();
      const isOptional = servers.length > 0;
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen({ host, port: chosen, exclusive: true }, resolve);
      }).then(
        () => servers.push(server),
        (error: unknown) => {
          // Without IPv6 no other process can listen there either.
          if (!isOptional || isTaken(error)) {
            throw error;
          }
        },
      );
      chosen = portOf(servers);
    }
    return servers;
  } catch (error) {
    servers.forEach((server) => server.close());
    throw error;
  }
}

/** The port on which the servers of all addresses listen; 0 without a server. */
function portOf([first]: readonly Server[]): number {
  const address = first?.address() as AddressInfo | null | undefined;
  return address?.port ?? 0;
}

function isTaken(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return code === "EADDRINUSE" || code === "EACCES";
}
