import type { CreateMessageRequestParams, CreateMessageResult } from "@tenon/protocol";

import { McpError } from "../../base/error.ts";
import { lazy, type Lazy } from "../../base/lazy.ts";
import type { ClientFeature } from "../../request/client/feature.ts";
import type { ClientRequest } from "../../request/client/request.ts";
import type * as answerModule from "./client/answer.lazy.ts";

const answering: Lazy<typeof answerModule> = lazy(() => import("./client/answer.lazy.ts"));

/**
 * Has a model write the next message of a conversation for a server, after a person has agreed. The
 * message must not exceed `maxTokens`.
 *
 * To reject a request, throw. A legacy server receives an `RpcError` unchanged (`-1` means that the
 * user declined). In 2026-07-28 the server gets no response, and the request that required the
 * input rejects with `INPUT_FAILED`.
 *
 * @param request - `signal` aborts when the response is no longer needed; `session` identifies the
 *   server.
 * @source
 */
export type SamplingHandler<R = ClientRequest> = (
  params: CreateMessageRequestParams,
  request: R,
) => CreateMessageResult | Promise<CreateMessageResult>;

/** Options for sampling. A host calls the handler with requests of its own type. */
export interface SamplingOptions<R = ClientRequest> {
  /** Calls the model, after a person has agreed. */
  readonly createMessage: SamplingHandler<R>;
  /**
   * Whether `createMessage` heeds `tools` and `toolChoice`; otherwise servers may not send any.
   * Default `false`.
   *
   * @source R-604
   */
  readonly tools?: boolean | undefined;
  /** Whether it heeds `includeContext`. Default `false`. @source R-606 */
  readonly context?: boolean | undefined;
}

/**
 * Handles `sampling/createMessage`.
 *
 * @throws `McpError` `INVALID_DEFINITION` without `createMessage`.
 */
export function samplingFeature({ createMessage, tools, context }: SamplingOptions): ClientFeature {
  if (createMessage === undefined) {
    throw new McpError("INVALID_DEFINITION", "sampling needs createMessage(params, request).");
  }
  const sampling = { ...(tools === true ? { tools: {} } : {}), ...(context === true ? { context: {} } : {}) };
  return {
    capabilities: { sampling: () => sampling },
    methods: {
      "sampling/createMessage": (params, request) =>
        answering.use(({ sample }) => sample(params, request, createMessage)),
    },
  };
}
