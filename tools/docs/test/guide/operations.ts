import {
  createAudit,
  createHealth,
  limitCalls,
  limitSenders,
  logRequests,
  visibleTools,
} from "@tenon/operations";
import type { AuditWriter, Closable } from "@tenon/operations";
import type { Server, ServerRequest, StructuredLogger } from "@tenon/sdk";
import {
  createStreamableHandler,
  type StreamableHandler,
  type StreamableHandlerOptions,
} from "@tenon/sdk/http";
import { listen } from "@tenon/sdk/node";
import type { RateLimits, SessionStore } from "@tenon/stores";

/** Tools of administrators. */
export function hide(server: Server): void {
  // #region visible
  const isAdmin = ({ auth }: ServerRequest): boolean => auth?.scopes?.includes("admin") === true;
  server.addReceivingMiddleware(
    ...visibleTools((request, tool) => !tool.startsWith("admin_") || isAdmin(request)),
  );
  // #endregion visible
}

/** A process that a deploy can end. */
export async function serve(
  handler: StreamableHandler,
  server: Server,
  stores: Closable & { readonly sessions: SessionStore },
): Promise<void> {
  // #region drain
  // The process begins to serve when its stores can be reached.
  await stores.sessions.get("health", "");
  const health = createHealth();
  const listening = await listen(handler, { host: "0.0.0.0", routes: [health] });

  process.once("SIGTERM", () => {
    const ended = health.drain({ noticeMs: 5_000, drainMs: 20_000, close: [listening, server, stores] });
    ended.catch(console.error);
  });
  // #endregion drain
}

/** Limits for all processes together. */
export function limit(
  server: Server,
  authenticate: StreamableHandlerOptions["authenticate"],
  rates: RateLimits,
): StreamableHandler {
  // #region limit
  server.addReceivingMiddleware(
    limitCalls({ rates, tools: { search: { burst: 1_000, perSecond: 1_000 / 86_400 } } }),
  );
  return createStreamableHandler({
    getServer: () => server,
    authenticate: limitSenders(authenticate, {
      rates,
      perAddress: { burst: 100, perSecond: 20 },
      perPrincipal: { burst: 50, perSecond: 10 },
    }),
  });
  // #endregion limit
}

/** Lines for a log. */
export function log(server: Server, logger: StructuredLogger): void {
  // #region log
  server.addReceivingMiddleware(logRequests(logger));
  // #endregion log
}

/** Records for an audit. */
export function record(server: Server, insert: AuditWriter): Closable {
  // #region audit
  const audit = createAudit({
    write: (events) => insert(events),
    arguments: (value, { target }) => (target === "login" ? undefined : value),
  });
  server.addReceivingMiddleware(audit.middleware);
  // #endregion audit
  return audit;
}
