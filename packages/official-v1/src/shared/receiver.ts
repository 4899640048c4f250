import {
  RpcError,
  type Notification,
  type RequestId,
  type Scope,
  type Unexpected,
} from "@tenon/jsonrpc2/core";
import { modernVersion } from "@tenon/protocol";
import { ErrorCode } from "mcp-sdk-1/types.js";

import { toRpcError } from "./errors.ts";
import { extraOf } from "./extra.ts";
import { hooks, type Internals, type RawRequest } from "./internals.ts";
import { legacyParams } from "./own-meta.ts";
import { isAboutTask } from "./task-messages.ts";

/** The connection of a receiver. */
export interface ReceiverOwner {
  /** The session of the transport. */
  sessionId(): string | undefined;
  /** Ends the engine's part in a request without a response. The official code responds. */
  release(id: RequestId): void;
}

/** Passes the messages of one connection to the handlers of a protocol. */
export interface Receiver {
  /** Handles a request or a notification. */
  handle(scope: Scope): unknown;
  /** Returns the request that a notification cancels; `undefined` for other notifications. */
  cancelled(notification: Notification): { id: RequestId | undefined; reason?: unknown } | undefined;
  /** Handles a message that belongs to no request of the engine. */
  unexpected(unexpected: Unexpected): void;
}

/** Creates the receiver of a connection. */
export function createReceiver(protocol: Internals, owner: ReceiverOwner): Receiver {
  const serve = protocol[hooks]?.serve;
  /** Resolves when the response to `server/discover` is known. */
  let discovering: Promise<void> | undefined;

  function requested(scope: Scope, id: RequestId): unknown {
    const { method } = scope;
    const params = scope.params as RawRequest["params"];
    if (serve !== undefined && typeof modernVersion(params) === "string") {
      const served = serve(protocol, scope);
      if (method === "server/discover") {
        // A client that has waited long sends `initialize`, too, and uses the first response. The
        // first modern request loads code, which takes longer than `initialize`.
        discovering = Promise.resolve(served).then(ignore, ignore);
      }
      return served;
    }
    const request: RawRequest =
      params === undefined ? { jsonrpc: "2.0", id, method } : { jsonrpc: "2.0", id, method, params };
    if (protocol._taskStore !== undefined && isAboutTask(request)) {
      owner.release(id);
      protocol._onrequest(request, scope.extra?.official);
      return undefined;
    }
    const handler = protocol._requestHandlers.get(method) ?? protocol.fallbackRequestHandler;
    if (handler === undefined) {
      throw new RpcError(ErrorCode.MethodNotFound, "Method not found");
    }
    const extra = extraOf(protocol, request, scope, owner.sessionId());
    // The official engine starts handlers a turn later; synchronous throws reject, too.
    return Promise.resolve(method === "initialize" ? discovering : undefined)
      .then(() => {
        if (params?.["task"] !== undefined) {
          protocol.assertTaskHandlerCapability(method);
        }
        return handler(request, extra);
      })
      .catch((error: unknown) => {
        throw toRpcError(error);
      });
  }

  function notified({ method, params }: Scope): void {
    const isModern = serve !== undefined && modernVersion(params) !== undefined;
    protocol._onnotification(
      params === undefined
        ? { jsonrpc: "2.0", method }
        : { jsonrpc: "2.0", method, params: isModern ? legacyParams(params) : params },
    );
  }

  return {
    handle: (scope) => (scope.id === undefined ? notified(scope) : requested(scope, scope.id)),
    cancelled({ method, params }) {
      if (method !== "notifications/cancelled") {
        return undefined;
      }
      const { requestId: id, reason } = (params ?? {}) as { requestId?: RequestId; reason?: unknown };
      // Requests of tasks run in the official code.
      protocol._requestHandlerAbortControllers.get(id)?.abort(reason);
      return { id, reason };
    },
    unexpected({ kind, message, error }) {
      if (kind === "response" && message !== undefined) {
        // A response to a request of a task, or to nothing.
        protocol._onresponse(message);
        return;
      }
      if (kind === "unrelated-notification" && message !== undefined) {
        // Its response came just before. If the response is a task, the official code handles the
        // progress as soon as the program has the response.
        setImmediate(() => protocol._onnotification(message));
        return;
      }
      if (kind === "duplicate-request" && message !== undefined) {
        // The official engine serves a repeated id, too.
        protocol._onrequest(message, undefined);
        return;
      }
      protocol._onerror(new Error(error?.message ?? `Unexpected ${kind}`));
    },
  };
}

function ignore(): void {}
