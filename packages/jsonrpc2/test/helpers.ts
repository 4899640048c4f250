import type { Cancellation, Notification, Request, RequestId } from "../src/index.ts";

export function request(id: RequestId, method = "m", params?: object): Request {
  return params === undefined ? { jsonrpc: "2.0", id, method } : { jsonrpc: "2.0", id, method, params };
}

export function note(method: string, params?: object): Notification {
  return params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params };
}

/** Everything that can happen without the outside world has happened. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

export function deferred<T = void>(): {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (error: unknown) => void;
} {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

/** What a promise rejects with. */
export function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error(`Expected a rejection, got ${JSON.stringify(value)}.`);
    },
    (error: unknown) => error,
  );
}

/** Cancellation the way MCP does it. */
export const cancellation: Cancellation = {
  notification: (requestId, reason) => ({
    method: "cancelled",
    params: { requestId, reason: String(reason) },
  }),
  read({ method, params }) {
    const { requestId, reason } = (params ?? {}) as { requestId?: string | number; reason?: unknown };
    return method === "cancelled" ? { id: requestId, reason } : undefined;
  },
};
