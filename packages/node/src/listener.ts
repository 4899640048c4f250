import type { IncomingMessage, ServerResponse } from "node:http";

import { checkOptionNames } from "@tenon/base";
import type { NodeHandler } from "@tenon/transports-streamable-http/server";

/** A listener for the `request` event of `node:http`. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => void;

/** Options of {@link createNodeListener}. */
export interface NodeListenerOptions {
  /**
   * The path that is served, such as `/mcp`. Requests for other paths get 404. By default every
   * path is served.
   */
  readonly path?: string | undefined;
  /**
   * Further paths that are served, such as the documents of `protectedResource` of
   * `@tenon/auth/server`. Their paths come first. By default only `path` is served.
   */
  readonly routes?: readonly NodeRoute[] | undefined;
}

/** A handler with the paths that it serves. */
export interface NodeRoute extends NodeHandler {
  readonly paths: readonly string[];
}

/**
 * Serves the requests of a `node:http` server. Senders are identified by `authenticate` of the
 * handler.
 *
 * @throws `TypeError` for options that do not exist, for a `path` that does not begin with a slash
 *   or contains a query, and for a handler without a `node` method, for example a `Server`.
 */
export function createNodeListener(handler: NodeHandler, options: NodeListenerOptions = {}): NodeListener {
  checkOptionNames("createNodeListener", options, "path routes");
  return listenerOf(handler, options);
}

/**
 * Creates the listener of {@link createNodeListener}.
 *
 * @param onRoute - Called with each request to a route.
 */
export function listenerOf(
  handler: NodeHandler,
  { path: given, routes = [] }: NodeListenerOptions,
  onRoute: NodeListener = () => undefined,
): NodeListener {
  for (const served of [handler, ...routes]) {
    if (typeof (served as Partial<NodeHandler> | undefined)?.node !== "function") {
      throw new TypeError(
        `A listener of node:http serves handlers with a node method; give it createStreamableHandler({ getServer: () => server }), not ${nameOf(served)}`,
      );
    }
  }
  const path = given === undefined ? undefined : sentPath(given);
  const beside = new Map(routes.flatMap((route) => route.paths.map((one) => [one, route] as const)));
  return (request, response) => {
    const asked = beside.size > 0 || path !== undefined ? pathOf(request.url) : undefined;
    const route = asked === undefined ? undefined : beside.get(asked);
    if (route !== undefined) {
      onRoute(request, response);
      void route.node(request, response);
    } else if (path === undefined || asked === path) {
      void handler.node(request, response);
    } else {
      response
        .writeHead(404, { "content-type": "text/plain" })
        .end(`Nothing is served here. The MCP endpoint is ${path}\n`);
    }
  };
}

function nameOf(value: unknown): string {
  return typeof value === "object" && value !== null
    ? `a ${value.constructor?.name ?? "object"}`
    : String(value);
}

/** A path as clients send it. */
function sentPath(path: string): string {
  if (typeof path !== "string" || !/^\/(?!\/)[^?#]*$/.test(path)) {
    const got = JSON.stringify(path) ?? typeof path;
    throw new TypeError(`path must begin with a slash and have no query, such as "/mcp"; got ${got}.`);
  }
  return new URL(path, "http://localhost").pathname;
}

/** The path of a request target, which is a path with its query, or a whole URL. */
function pathOf(target = "/"): string {
  const [path = ""] = target.replace(/^https?:\/\/[^/?#]*/i, "").split("?", 1);
  return path === "" ? "/" : path;
}
