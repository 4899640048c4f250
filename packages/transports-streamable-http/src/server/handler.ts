import { markDrainable } from "@tenon/base";
import { NodeExchange, WebExchange, type NodeRequest, type NodeResponse } from "@tenon/http/server";

import { checkHandlerOptions, checkSessionOptions, handlerOptionNames } from "./check-options.ts";
import { checkRevision } from "./check-revision.ts";
import { connectServer } from "./connect-server.ts";
import { Endpoint } from "./endpoint.ts";
import { lateKeeper } from "./late-keeper.ts";
import { streamableHandlerLimits } from "./limits.ts";
import { LocalSessions } from "./local-keeper.ts";
import type { ServeContext, StreamableHandlerOptions } from "./options.ts";
import { serveStream } from "./serve-stream.ts";
import { newSessionId } from "./session-id.ts";
import type { StartSessions } from "./session-keeper.ts";
import { SessionTable } from "./session-table.ts";
import { Session } from "./session.ts";
import type { StatelessHandler } from "./stateless-handler.ts";

/** Serves the Model Context Protocol on one HTTP endpoint. */
export interface StreamableHandler extends StatelessHandler {
  /**
   * Serves a request of `node:http`, or of a framework that extends it. Resolves when the request
   * is routed, not when the response is sent. Never rejects.
   */
  node(request: NodeRequest, response: NodeResponse, context?: ServeContext): Promise<void>;
  /**
   * Whether `allowedHosts` or `authenticate` was given. Do not expose a handler without them to
   * other machines.
   */
  readonly restricted: boolean;
}

/**
 * The half of a handler that serves `node:http`: `createStreamableHandler` and `createSSEHandler`
 * make one.
 */
export type NodeHandler = Pick<StreamableHandler, "node">;

/**
 * Makes the handler of an endpoint that serves every revision: the modern era without sessions, the
 * legacy era with and without them, as the client opens.
 *
 * @example
 * const handler = createStreamableHandler({ getServer: () => server });
 * export default { fetch: handler.fetch }; // or on Node: `await listen(handler)`, of `@tenon/sdk/node`
 *
 * @throws `TypeError` for options that do not exist or are out of range, and for `allowedHosts` and
 *   `allowedOrigins` that no request can meet.
 * @source
 */
export function createStreamableHandler(options: StreamableHandlerOptions): StreamableHandler {
  const limits = checkHandlerOptions("createStreamableHandler", options, streamableHandlerLimits, [
    ...handlerOptionNames,
    "sessions stores",
  ]);
  const { sessions = {}, stores, getServer } = options;
  if (sessions !== false) {
    checkSessionOptions(sessions, stores);
  }
  const start: StartSessions | undefined =
    sessions === false
      ? undefined
      : stores === undefined
        ? (settings) => new LocalSessions(sessions, limits, settings)
        : (settings) =>
            lateKeeper(async () => {
              const parts = {
                Session,
                SessionTable,
                serveStream,
                checkRevision,
                newSessionId,
                connectServer,
              };
              const { MovingSessions } = await import("./moving/keeper.lazy.ts");
              return new MovingSessions({ options: sessions, stores, limits, settings, getServer, parts });
            }, settings.onError);
  const endpoint = new Endpoint(options, limits, start);
  return markDrainable({
    fetch: (request) => endpoint.fetch(new WebExchange(request), {}),
    serve: (request, context) => endpoint.fetch(new WebExchange(request, context.address), context),
    node: (request, response, context = {}) =>
      endpoint.serve(new NodeExchange(request, response, context.parsedBody, limits.stallMs), context),
    restricted: options.allowedHosts !== undefined || options.authenticate !== undefined,
    revoke: (principal) => endpoint.revoke(principal),
    close: ({ drainMs } = {}) => endpoint.close(drainMs),
    [Symbol.asyncDispose]: () => endpoint.close(undefined),
  });
}
