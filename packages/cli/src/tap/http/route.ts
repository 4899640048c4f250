import { Agent, request as requestPlain, type ClientRequest, type RequestOptions } from "node:http";
import { Agent as SecureAgent, request as requestSecure } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectSecure } from "node:tls";

import type { FoundProxy } from "@tenon/http/client";

/** The way of requests to a server. */
export interface Route {
  /** Makes a request. @param headers - Names and values in turn. */
  request(method: string | undefined, path: string, headers: readonly string[]): ClientRequest;
  /** The cause of a response that comes from a proxy instead of the server. */
  refusal(status: number | undefined): string | undefined;
  close(): void;
}

/** Maximum time for a proxy to open a tunnel, in milliseconds. */
const tunnelMs = 30_000;

/** The way to a server: direct, by a request to a proxy, or by a tunnel through it. */
export function routeTo(remote: URL, proxy: FoundProxy | undefined): Route {
  const isSecure = remote.protocol === "https:";
  const own = { ...placeOf(remote), servername: nameOf(remote) };
  const refusal = (status: number | undefined): string | undefined =>
    status === 407 && proxy !== undefined ? credentialsNeeded(proxy) : undefined;
  if (proxy === undefined) {
    return {
      request: (method, path, headers) =>
        (isSecure ? requestSecure : requestPlain)({ ...own, method, path, headers }),
      refusal,
      close: () => undefined,
    };
  }
  if (!isSecure) {
    const agent = proxy.origin.protocol === "https:" ? new SecureAgent(kept) : new Agent(kept);
    const send = proxy.origin.protocol === "https:" ? requestSecure : requestPlain;
    const credentials = Object.entries(proxy.headers).flat();
    return {
      // The proxy reads the whole URL.
      request: (method, path, headers) =>
        send({
          ...placeOf(proxy.origin),
          method,
          path: `${remote.origin}${path}`,
          headers: [...headers, ...credentials],
          agent,
        }),
      refusal,
      close: () => agent.destroy(),
    };
  }
  const agent = new SecureAgent(kept);
  agent.createConnection = (_, callback) => {
    openTunnel(proxy, remote, (error, socket) =>
      socket === undefined
        ? callback?.(error, undefined as unknown as Duplex)
        : callback?.(null, connectSecure({ socket, servername: nameOf(remote) })),
    );
    return undefined;
  };
  return {
    request: (method, path, headers) => requestSecure({ ...own, method, path, headers, agent }),
    refusal: () => undefined,
    close: () => agent.destroy(),
  };
}

const kept = { keepAlive: true };

/** Has a proxy connect to a server. @param done - Called once. */
function openTunnel(
  { origin, headers }: FoundProxy,
  remote: URL,
  done: (error: Error | null, socket?: Socket) => void,
): void {
  const { host, port } = placeOf(remote);
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const asked = (origin.protocol === "https:" ? requestSecure : requestPlain)({
    ...placeOf(origin),
    method: "CONNECT",
    path: authority,
    headers: { host: authority, ...headers },
    agent: false,
    timeout: tunnelMs,
  });
  const refuse = (status: number | undefined): void =>
    done(
      new Error(
        status === 407
          ? credentialsNeeded({ origin })
          : `the proxy ${origin.origin} refused the connection with status ${status}`,
      ),
    );
  asked.on("connect", ({ statusCode }, socket) => {
    if (statusCode === 200) {
      done(null, socket);
    } else {
      socket.destroy();
      refuse(statusCode);
    }
  });
  // A proxy that does not know CONNECT responds as to any other request.
  asked.on("response", (response) => {
    asked.removeAllListeners("error").on("error", () => undefined);
    response.destroy();
    refuse(response.statusCode);
  });
  asked.on("timeout", () => asked.destroy(new Error(`no tunnel was opened within ${tunnelMs} ms`)));
  asked.on("error", (error) =>
    done(new Error(`the proxy ${origin.origin} cannot be reached: ${error.message}`)),
  );
  asked.end();
}

function credentialsNeeded({ origin }: Pick<FoundProxy, "origin">): string {
  return `the proxy ${origin.origin} requires credentials: write them into its URL, as http://user:password@host`;
}

function nameOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

function placeOf(url: URL): RequestOptions & { readonly host: string; readonly port: number } {
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  return { host: nameOf(url), port };
}
