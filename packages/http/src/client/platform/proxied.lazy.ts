import { request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import type { Socket } from "node:net";

import type { buildConnector } from "undici";

import { HttpError } from "../../error.ts";
import { noteFailure, type Wire, type WireRequest, type WireResponse } from "../wire.ts";
import type { Environment } from "./names-proxy.ts";
import {
  environmentProxies,
  oneProxy,
  proxyCredentials,
  proxyError,
  proxyFor,
  type Proxies,
} from "./proxies.ts";
import { agentOf, agentTable, connectDirectly, dispatch } from "./undici.lazy.ts";

/** Maximum time for a proxy to open a tunnel, in milliseconds. */
const tunnelMs = 30_000;

const tunnels = agentTable((proxy) => (options, callback) => openTunnel(new URL(proxy), options, callback));
/** Sends requests to proxies by connections of its own. */
const toProxies = agentOf(connectDirectly);

/** The wire through the proxies of an environment, which is read once. */
export function environmentWire(environment: Environment): Wire {
  return wireThrough(environmentProxies(environment));
}

/** The wire through one proxy. */
export function wireOf(proxy: string): Wire {
  return wireThrough(oneProxy(proxy));
}

function wireThrough(proxies: Proxies): Wire {
  return async (request) => through(proxies, request);
}

function through(proxies: Proxies, request: WireRequest): Promise<WireResponse> {
  const { url, headers } = request;
  const proxy = proxyFor(proxies, url);
  if (proxy === undefined) {
    return dispatch(undefined, request);
  }
  if (url.protocol === "https:") {
    return dispatch(tunnels(proxy.href), request);
  }
  // The proxy reads the whole URL. The header host keeps naming the server.
  const path = `${url.origin}${url.pathname}${url.search}`;
  const fields = { host: url.host, ...headers, ...proxyCredentials(proxy) };
  return dispatch(toProxies, { ...request, headers: fields }, { origin: proxy.origin, path }).then(
    (response) => {
      if (response.status !== 407) {
        return response;
      }
      response.discard();
      const error = proxyError(proxy, response.status);
      noteFailure(error, { reused: false, connected: false });
      throw error;
    },
    (error: unknown) => {
      throw named(error, proxy);
    },
  );
}

/** Names the proxy in the error of a connection that was not made. */
function named(error: unknown, proxy: URL): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (
    typeof code === "string" &&
    /^(?:ECONN|ENOTFOUND|EAI_|EHOST|ENET|ETIMEDOUT|UND_ERR_CONNECT)/.test(code)
  ) {
    return unreachable(proxy, error);
  }
  return error;
}

function unreachable(proxy: URL, cause: unknown): HttpError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const message = `The proxy ${proxy.protocol}//${proxy.host} cannot be reached: ${why}.`;
  const error = new HttpError("NETWORK", message, { cause, delivered: "no" });
  noteFailure(error, { reused: false, connected: false });
  return error;
}

/** Has a proxy connect to a server, and starts TLS through it. */
function openTunnel(proxy: URL, options: buildConnector.Options, callback: buildConnector.Callback): void {
  const { hostname, port } = options;
  const isBare = hostname.includes(":") && !hostname.startsWith("[");
  const host = `${isBare ? `[${hostname}]` : hostname}:${port || 443}`;
  const ask = proxy.protocol === "https:" ? requestSecure : requestPlain;
  const asked = ask({
    host: proxy.hostname.replace(/^\[|\]$/g, ""),
    port: proxy.port || (proxy.protocol === "https:" ? 443 : 80),
    method: "CONNECT",
    path: host,
    headers: { host, ...proxyCredentials(proxy) },
    agent: false,
    timeout: tunnelMs,
  });
  let isOpen = false;
  asked.on("connect", ({ statusCode = 0 }, httpSocket: Socket) => {
    isOpen = true;
    if (statusCode >= 200 && statusCode < 300) {
      connectDirectly({ ...options, httpSocket }, callback);
    } else {
      httpSocket.destroy();
      callback(proxyError(proxy, statusCode), null);
    }
  });
  // A proxy that does not know CONNECT responds as to any other request.
  asked.on("response", (response) => {
    isOpen = true;
    response.destroy();
    callback(proxyError(proxy, response.statusCode ?? 0), null);
  });
  asked.on("timeout", () => {
    if (!isOpen) {
      asked.destroy(new Error(`no tunnel was opened within ${tunnelMs} ms`));
    }
  });
  asked.on("error", (error) => {
    if (!isOpen) {
      callback(unreachable(proxy, error), null);
    }
  });
  asked.end();
}
