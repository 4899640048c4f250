import type { Clock } from "@tenon/base";

/** The steps of an authorization that can be scripted. */
export type ScriptedStep =
  | "resource-metadata"
  | "server-metadata"
  | "register"
  | "authorize"
  | "push"
  | "device"
  | "token"
  | "revoke"
  | "mcp";

/** One request that was received. */
export interface ReceivedRequest {
  readonly step: ScriptedStep | "unknown";
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  /** The parameters of a form, or of the query of a GET. */
  readonly parameters: URLSearchParams;
  readonly body: string;
  /** When it was received, in milliseconds on the clock of the script. */
  readonly at: number;
}

/** The reaction to one request, in place of the usual reaction or in addition to it. */
export interface Reaction {
  /** Delays the response, in milliseconds. */
  readonly delayMs?: number | undefined;
  /** Loses the request, or, after the server has acted on it, the response. */
  readonly drop?: "request" | "response" | undefined;
  /** Replaces the status. */
  readonly status?: number | undefined;
  /** Replaces or adds headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Replaces the body: a string as it is, anything else as JSON. The server does not act on the
   * request.
   */
  readonly body?: unknown;
  /** Changes a JSON body before it is sent. */
  readonly edit?: ((json: Record<string, unknown>) => Record<string, unknown>) | undefined;
}

/** The reactions to the requests of each step, in the order in which they are received. */
export interface Script {
  /** Adds reactions, each for one request. */
  next(step: ScriptedStep, ...reactions: readonly Reaction[]): void;
  /** Sets the reaction to every request that has none of its own. `undefined` removes it. */
  always(step: ScriptedStep, reaction: Reaction | undefined): void;
  /** Removes all reactions. */
  clear(): void;
  /**
   * Applies the next reaction of a step. @param usual - Acts on the request and returns the usual
   * response.
   */
  apply(
    step: ScriptedStep | "unknown",
    usual: () => Promise<Response>,
    signal: AbortSignal | null | undefined,
  ): Promise<Response>;
}

/** Creates a {@link Script}. */
export function createScript(clock: Clock): Script {
  const once = new Map<string, Reaction[]>();
  const standing = new Map<string, Reaction>();
  return {
    next(step, ...reactions) {
      once.set(step, [...(once.get(step) ?? []), ...reactions]);
    },
    always(step, reaction) {
      if (reaction === undefined) {
        standing.delete(step);
      } else {
        standing.set(step, reaction);
      }
    },
    clear() {
      once.clear();
      standing.clear();
    },
    async apply(step, usual, signal) {
      const reaction = once.get(step)?.shift() ?? standing.get(step) ?? {};
      const { delayMs = 0, drop, status, headers = {}, body, edit } = reaction;
      if (drop === "request") {
        throw Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNREFUSED" } });
      }
      const response =
        body === undefined && status === undefined ? await usual() : written(body, status ?? 200);
      if (delayMs > 0) {
        await new Promise<void>((resolve, reject) => {
          const timer = clock.setTimeout(resolve, delayMs, true);
          signal?.addEventListener("abort", () => {
            clock.clearTimeout(timer);
            reject(signal.reason as Error);
          });
        });
      }
      if (drop === "response") {
        throw Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNRESET" } });
      }
      const changed =
        edit === undefined
          ? await response.text()
          : JSON.stringify(edit((await response.json()) as Record<string, unknown>));
      const all = new Headers(response.headers);
      Object.entries(headers).forEach(([name, value]) => all.set(name, value));
      const isEmpty = [204, 205, 304].includes(response.status);
      return new Response(isEmpty ? null : changed, { status: response.status, headers: all });
    },
  };
}

function written(body: unknown, status: number): Response {
  const isText = typeof body === "string";
  return new Response(isText ? body : JSON.stringify(body ?? {}), {
    status,
    headers: { "content-type": isText ? "text/html" : "application/json" },
  });
}
