import { checkOptionNames, errorSink, readLimits, type Clock, type LimitRules } from "@tenon/base";
import {
  NodeExchange,
  WebExchange,
  type Exchange,
  type NodeRequest,
  type NodeResponse,
} from "@tenon/http/server";

import { createChecks, type HealthCheck } from "./checks.ts";
import { closeAll, type DrainOptions } from "./drain.ts";

/** Limits of {@link createHealth}. */
export interface HealthLimits {
  /** Maximum time of a check, in milliseconds. Afterwards it counts as failed. Default: `1_000`. */
  readonly checkTimeoutMs?: number | undefined;
  /**
   * How long the result of the checks is used, in milliseconds, so that many probes cost one check.
   * Default: `1_000`.
   */
  readonly ttlMs?: number | undefined;
}

const limitRules: LimitRules<HealthLimits> = { checkTimeoutMs: [1_000, 1], ttlMs: [1_000, 0] };

/** The paths of the probes. */
export interface HealthPaths {
  /** The liveness probe. Default: `"/live"`. */
  readonly live?: string | undefined;
  /** The readiness probe. Default: `"/ready"`. */
  readonly ready?: string | undefined;
}

/** Options of {@link createHealth}. */
export interface HealthOptions {
  /**
   * Checks of the stores that every request needs, by name. A check fails if it throws, rejects,
   * returns `false` or takes too long. Probes get the names of failed checks, but not their errors.
   * By default there are no checks.
   */
  readonly checks?: Readonly<Record<string, HealthCheck>> | undefined;
  /** The paths of the probes. */
  readonly paths?: HealthPaths | undefined;
  /** Limits of the checks. Each limit has its own default. */
  readonly limits?: HealthLimits | undefined;
  /** Receives the error with which the failure of a check begins. Default: `console.error`. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Measures the time. Default: the clock of the platform. */
  readonly clock?: Clock | undefined;
}

/** The state of a server: `draining` before it ends, `unavailable` while a check fails. */
export type HealthStatus = "ready" | "draining" | "unavailable";

/**
 * The health of a server, and the handler of its probes. It fits in `routes` of `listen` and of
 * `createNodeListener`, and in the adapters of frameworks.
 */
export interface Health {
  /** The paths of the probes. */
  readonly paths: readonly string[];
  /** Returns the state. Never rejects. */
  status(): Promise<HealthStatus>;
  /**
   * Serves a request for a probe. `undefined` for another path:
   * `(request) => health.fetch(request) ?? handler.fetch(request)`.
   */
  readonly fetch: (request: Request) => Promise<Response> | undefined;
  /** The same for `honoHandler`. Another path gets 404. */
  serve(request: Request): Promise<Response>;
  /**
   * The same for `node:http`, `expressHandler` and `fastifyHandler`. Another path gets 404. Never
   * rejects.
   */
  node(request: NodeRequest, response: NodeResponse): Promise<void>;
  /**
   * Ends the server as a deploy does: the readiness becomes false at once, requests are served for
   * `noticeMs`, and then everything is closed in its order. Called again, it returns the same
   * promise.
   *
   * @throws `TypeError` for options that do not exist. `AggregateError` with the errors of what
   *   failed to close; everything else was closed nevertheless.
   */
  drain(options?: DrainOptions): Promise<void>;
}

/**
 * Creates the probes of a server. The liveness probe gets 200 as long as the event loop runs. The
 * readiness probe gets 200 if all checks pass. It gets 503 while a check fails, and after `drain`
 * was called. Probes are not authenticated, so do not expose them to the internet.
 *
 * @throws `TypeError` for options that do not exist or are out of range.
 */
export function createHealth(options: HealthOptions = {}): Health {
  checkOptionNames("createHealth", options, "checks paths limits onError clock", limitRules);
  checkOptionNames("paths", options.paths ?? {}, "live ready");
  const { clock } = options;
  const { live = "/live", ready = "/ready" } = options.paths ?? {};
  const onError = errorSink(options.onError);
  const checks = createChecks(options.checks ?? {}, {
    ...readLimits(options.limits, limitRules),
    clock,
    onError,
  });
  let draining: Promise<void> | undefined;

  async function state(): Promise<{ readonly status: HealthStatus; readonly failed?: readonly string[] }> {
    const failed = draining === undefined ? await checks.failed() : [];
    if (draining !== undefined) {
      return { status: "draining" };
    }
    return failed.length === 0 ? { status: "ready" } : { status: "unavailable", failed };
  }

  async function answer(exchange: Exchange): Promise<void> {
    const path = pathOf(exchange.url);
    const { method } = exchange;
    if (path !== live && path !== ready) {
      exchange.respond(404, { "content-type": "text/plain" }, "There is no probe at this path\n");
    } else if (method !== "GET" && method !== "HEAD") {
      exchange.respond(
        405,
        { allow: "GET, HEAD", "content-type": "text/plain" },
        "Probes accept GET and HEAD\n",
      );
    } else {
      const found = path === live ? { status: "live" } : await state();
      const isGood = found.status === "live" || found.status === "ready";
      const headers = { "content-type": "application/json", "cache-control": "no-store" };
      exchange.respond(isGood ? 200 : 503, headers, method === "HEAD" ? undefined : JSON.stringify(found));
    }
  }

  const serve = (request: Request): Promise<Response> => {
    const exchange = new WebExchange(request);
    void answer(exchange);
    return exchange.response;
  };
  return {
    paths: [live, ready],
    status: async () => (await state()).status,
    serve,
    fetch: (request) => ([live, ready].includes(pathOf(request.url)) ? serve(request) : undefined),
    node: (request, response) => answer(new NodeExchange(request, response)),
    drain(drainOptions = {}) {
      checkOptionNames("drain", drainOptions, "close noticeMs drainMs");
      draining ??= closeAll(drainOptions, clock);
      return draining;
    },
  };
}

function pathOf(target: string): string {
  const url = target.startsWith("/") ? `http://localhost${target}` : target;
  return URL.canParse(url) ? new URL(url).pathname : "";
}
