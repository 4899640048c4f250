import { unlessAborted } from "@tenon/base";
import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import type { ServerRequest } from "@tenon/mcp/server";

/** The shares of callers in the requests that run at a source. */
export interface Shares {
  /**
   * Runs a request when its caller has room for it.
   *
   * @throws `RpcError` `-32603` with `delivered: "no"` if too many requests of the caller wait;
   *   `signal.reason`.
   */
  run(request: ServerRequest, work: () => unknown): unknown;
}

interface Share {
  running: number;
  readonly line: (() => void)[];
}

/** The key of all requests without principal and session. */
const anybody = {};

/**
 * Creates the shares of one source.
 *
 * @param maxInFlight - Maximum number of requests of one caller that run at a time.
 * @param maxWaiting - Maximum number of requests of one caller that wait.
 */
export function createShares(source: string, maxInFlight: number, maxWaiting: number): Shares {
  const shares = new Map<unknown, Share>();
  /** The share of the last call stays, because the next call often has the same caller. */
  let last: { readonly key: unknown; readonly share: Share } | undefined;

  function shareOf(key: unknown): Share {
    if (last !== undefined && last.key === key) {
      return last.share;
    }
    if (last !== undefined && last.share.running === 0) {
      shares.delete(last.key);
    }
    const share = shares.get(key) ?? { running: 0, line: [] };
    shares.set(key, share);
    last = { key, share };
    return share;
  }

  function leave(key: unknown, share: Share): void {
    const next = share.line.shift();
    if (next !== undefined) {
      next();
    } else if (--share.running === 0 && last?.share !== share) {
      shares.delete(key);
    }
  }

  function start(key: unknown, share: Share, work: () => unknown): unknown {
    let result: unknown;
    try {
      result = work();
    } catch (error) {
      leave(key, share);
      throw error;
    }
    if (!(result instanceof Promise)) {
      leave(key, share);
      return result;
    }
    return result.finally(() => leave(key, share));
  }

  async function wait(key: unknown, share: Share, { signal }: ServerRequest): Promise<void> {
    if (share.line.length >= maxWaiting) {
      const message = `Too many requests to ${source}: ${share.running} of this caller run and ${share.line.length} wait (maxInFlight, maxWaiting).`;
      throw new RpcError(ErrorCode.InternalError, message, { data: { delivered: "no" } });
    }
    let enter: () => void = () => {};
    const turn = new Promise<void>((resolve) => {
      enter = resolve;
    });
    share.line.push(enter);
    try {
      await unlessAborted(turn, signal);
    } catch (error) {
      const place = share.line.indexOf(enter);
      if (place === -1) {
        leave(key, share);
      } else {
        share.line.splice(place, 1);
      }
      throw error;
    }
  }

  return {
    run(request, work) {
      const key = request.auth?.principal ?? request.session ?? anybody;
      const share = shareOf(key);
      if (share.running < maxInFlight) {
        share.running++;
        return start(key, share, work);
      }
      return wait(key, share, request).then(() => start(key, share, work));
    },
  };
}
