import { isLocalError, type Notification, type RequestId } from "@tenon/jsonrpc2/core";
import { safeParse } from "mcp-sdk-1/server/zod-compat.js";
import {
  DEFAULT_REQUEST_TIMEOUT_MSEC as defaultTimeout,
  type RequestOptions,
} from "mcp-sdk-1/shared/protocol.js";
import type { TransportSendOptions } from "mcp-sdk-1/shared/transport.js";

import { callOptions, failureOf } from "./call.ts";
import { timedOut } from "./errors.ts";
import type { Internals, ModernSession, Named, Schema } from "./internals.ts";

/** A request without a response. */
interface OpenCall {
  readonly onprogress: ((progress: object) => void) | undefined;
  /** Options of the transport, for the message that carries the request. */
  readonly sendOptions: TransportSendOptions | undefined;
  readonly timeout: number;
}

/** The requests of a protocol that have no response yet. */
export interface Calls {
  /** Sends a request, and parses its result. */
  send(
    caller: Pick<ModernSession, "call">,
    request: Named,
    schema: Schema,
    options: RequestOptions,
  ): Promise<unknown>;
  /** The options of the transport for a request. */
  optionsOf(id: RequestId): TransportSendOptions | undefined;
  /** The request to which a notification of progress belongs. */
  relate(notification: Notification): RequestId | undefined;
  /** The reason of a cancellation, for the receiver. */
  reasonOf(id: RequestId, reason: unknown): unknown;
}

/** Creates the table of a protocol's requests. */
export function createCalls(protocol: Internals): Calls {
  const open = new Map<RequestId, OpenCall>();
  return {
    optionsOf: (id) => open.get(id)?.sendOptions,
    relate({ method, params }) {
      if (method !== "notifications/progress") {
        return undefined;
      }
      const token = Number(Object(params)["progressToken"]);
      return open.get(token)?.onprogress === undefined ? undefined : token;
    },
    reasonOf: (id, reason) =>
      isLocalError(reason, "TIMEOUT") ? timedOut(open.get(id)?.timeout ?? defaultTimeout) : reason,
    async send(caller, { method, params: given }, schema, options) {
      const { onprogress, resumptionToken, onresumptiontoken, timeout = defaultTimeout } = options;
      const id = protocol._requestMessageId;
      const isResumable = resumptionToken !== undefined || onresumptiontoken !== undefined;
      open.set(id, {
        onprogress: onprogress as OpenCall["onprogress"],
        sendOptions: isResumable ? { resumptionToken, onresumptiontoken } : undefined,
        timeout,
      });
      const started = Date.now();
      try {
        const params = onprogress === undefined ? given : withToken(given, id);
        const result = await caller.call(method, params, callOptions(options, timeout));
        if (onprogress !== undefined) {
          keepProgress(protocol, id, onprogress as (progress: object) => void, result);
        }
        const parsed = safeParse(schema, result);
        if (!parsed.success) {
          throw parsed.error;
        }
        return parsed.data;
      } catch (error) {
        throw failureOf(error, options, timeout, Date.now() - started);
      } finally {
        open.delete(id);
      }
    },
  };
}

function withToken(params: Named["params"], progressToken: number): object {
  return { ...params, _meta: { ...(params?.["_meta"] as object | undefined), progressToken } };
}

/** The progress of a task continues after the response with the task. */
function keepProgress(
  protocol: Internals,
  id: number,
  onprogress: (progress: object) => void,
  result: unknown,
): void {
  const { task } = Object(result) as { readonly task?: { readonly taskId?: unknown } };
  if (typeof task?.taskId === "string") {
    protocol._progressHandlers.set(id, onprogress);
    protocol._taskProgressTokens.set(task.taskId, id);
  }
}
