import { RpcError, type ReceivingMiddleware, type ServerRequest } from "@tenon/sdk/server";

/** A bucket of tokens: each request takes one, and they come back at a steady rate. */
export interface RateLimit {
  /** How many tokens come back in a second. */
  readonly perSecond: number;
  /** How many tokens there are at most, and at the beginning. */
  readonly burst: number;
  /**
   * Which bucket a request takes from; `undefined` for a request without limit. Objects are not
   * kept alive.
   */
  readonly bucket: (request: ServerRequest) => string | object | undefined;
  /** Milliseconds on a monotonic clock. */
  readonly now?: (() => number) | undefined;
}

/** Outside the range that JSON-RPC keeps for itself. */
export const rateLimited = 429;

interface Bucket {
  tokens: number;
  filledAt: number;
}

/**
 * Refuses requests beyond a rate: of the whole server, of a method or of a client, as `bucket`
 * says.
 */
export function rateLimit(limit: RateLimit): ReceivingMiddleware<ServerRequest> {
  const { perSecond, burst, bucket, now = () => performance.now() } = limit;
  const named = new Map<string, Bucket>();
  const owned = new WeakMap<object, Bucket>();

  function bucketOf(key: string | object): Bucket {
    const known = typeof key === "string" ? named.get(key) : owned.get(key);
    if (known !== undefined) {
      return known;
    }
    const created = { tokens: burst, filledAt: now() };
    if (typeof key === "string") {
      dropFull();
      named.set(key, created);
    } else {
      owned.set(key, created);
    }
    return created;
  }

  /** A full bucket is as good as none, so names that are made up cost nothing for long. */
  function dropFull(): void {
    for (const [key, { tokens, filledAt }] of named) {
      if (tokens + ((now() - filledAt) / 1000) * perSecond >= burst) {
        named.delete(key);
      }
    }
  }

  return (next) => (request) => {
    const key = request.id === undefined ? undefined : bucket(request);
    if (key === undefined) {
      return next(request);
    }
    const taken = bucketOf(key);
    const time = now();
    taken.tokens = Math.min(burst, taken.tokens + ((time - taken.filledAt) / 1000) * perSecond);
    taken.filledAt = time;
    if (taken.tokens < 1) {
      const retryAfterMs = Math.ceil(((1 - taken.tokens) / perSecond) * 1000);
      throw new RpcError(rateLimited, "Too many requests; try again later", { data: { retryAfterMs } });
    }
    taken.tokens--;
    return next(request);
  };
}

/** One limit for all requests together. */
export const everything = (): string => "everything";

/** One limit for each method. Names that no server has share one bucket. */
export function eachMethod(...methods: readonly string[]): (request: ServerRequest) => string {
  const known = new Set(methods);
  return ({ method }) => (known.has(method) ? method : "other");
}

/**
 * One limit for each client: for each principal, otherwise for each session, otherwise for each
 * address. Over HTTP most requests have no session, so never key by the session alone. Behind a
 * proxy all requests have the address of the proxy; there, authenticate. Clients that cannot be
 * told apart share one limit.
 */
export const eachClient = ({ auth, session, http }: ServerRequest): string | object =>
  (auth && `principal ${auth.principal}`) ?? session ?? `address ${http?.address ?? "unknown"}`;
