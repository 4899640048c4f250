// Generated from schema/2025-11-25/schema.json by tools/codegen, version 2. Do not edit.
// Schema sha256: 3478f2b06b8f914d32c64d47f1a4c900916d046513b4f0cc891ee9da7856c511
// To change it: edit schema/, then run `npm run codegen -- generate`.

import type { MethodInfo } from "../../method.ts";
import { methods as before } from "../2025-06-18/methods.ts";
import type {
  CallToolRequestParams,
  CallToolResult,
  CancelTaskRequestParams,
  CancelTaskResult,
  CancelledNotificationParams,
  CompleteRequestParams,
  CompleteResult,
  CreateMessageRequestParams,
  CreateMessageResult,
  CreateTaskResult,
  ElicitRequestParams,
  ElicitResult,
  ElicitationCompleteNotificationParams,
  EmptyResult,
  GetPromptRequestParams,
  GetPromptResult,
  GetTaskPayloadRequestParams,
  GetTaskPayloadResult,
  GetTaskRequestParams,
  GetTaskResult,
  InitializeRequestParams,
  InitializeResult,
  ListPromptsResult,
  ListResourceTemplatesResult,
  ListResourcesResult,
  ListRootsResult,
  ListTasksResult,
  ListToolsResult,
  LoggingMessageNotificationParams,
  NotificationParams,
  PaginatedRequestParams,
  ProgressNotificationParams,
  ReadResourceRequestParams,
  ReadResourceResult,
  RequestParams,
  ResourceUpdatedNotificationParams,
  SetLevelRequestParams,
  SubscribeRequestParams,
  TaskStatusNotificationParams,
  UnsubscribeRequestParams,
} from "./types.ts";

/**
 * Requests of 2025-11-25: who sends it, its params, its final result, and everything that may come as an answer (a task or
 * a request for input besides the result, where the method allows them).
 */
export interface Methods {
  /** Asks for values that could finish what the user has typed into a prompt or template argument. */
  "completion/complete": {
    sentBy: "client";
    params: CompleteRequestParams;
    result: CompleteResult;
    answer: CompleteResult;
  };
  /** Asks the client to get input from its user, by form or by web page (since 2025-06-18). */
  "elicitation/create": {
    sentBy: "server";
    params: ElicitRequestParams;
    result: ElicitResult;
    answer: ElicitResult | CreateTaskResult;
  };
  /**
   * First request of a connection: the client proposes a revision and says what it can do. Gone in
   * 2026-07-28, where each request carries this in `_meta`.
   */
  "initialize": {
    sentBy: "client";
    params: InitializeRequestParams;
    result: InitializeResult;
    answer: InitializeResult;
  };
  /**
   * Sets the least severe log level the server should send from now on. Gone in 2026-07-28, where each
   * request names its own level.
   *
   * @deprecated since 2026-07-28 (SEP-2577): use stderr (stdio) or OpenTelemetry. Earliest removal: the
   * first revision released on or after 2027-07-28.
   */
  "logging/setLevel": {
    sentBy: "client";
    params: SetLevelRequestParams;
    result: EmptyResult;
    answer: EmptyResult;
  };
  /**
   * Checks that the other side is alive; either side may send it and gets an empty result at once. Gone in
   * 2026-07-28.
   */
  "ping": {
    sentBy: "client" | "server";
    params: RequestParams;
    result: EmptyResult;
    answer: EmptyResult;
  };
  /** Asks the server to fill in one prompt. */
  "prompts/get": {
    sentBy: "client";
    params: GetPromptRequestParams;
    result: GetPromptResult;
    answer: GetPromptResult;
  };
  /** Asks for the prompts a server offers, page by page. */
  "prompts/list": {
    sentBy: "client";
    params: PaginatedRequestParams;
    result: ListPromptsResult;
    answer: ListPromptsResult;
  };
  /** Asks for the resources a server offers, page by page. */
  "resources/list": {
    sentBy: "client";
    params: PaginatedRequestParams;
    result: ListResourcesResult;
    answer: ListResourcesResult;
  };
  /** Asks for the contents of one resource. */
  "resources/read": {
    sentBy: "client";
    params: ReadResourceRequestParams;
    result: ReadResourceResult;
    answer: ReadResourceResult;
  };
  /**
   * Asks to be told whenever one resource changes; needs the `resources.subscribe` capability. Gone in
   * 2026-07-28 in favour of `subscriptions/listen`.
   */
  "resources/subscribe": {
    sentBy: "client";
    params: SubscribeRequestParams;
    result: EmptyResult;
    answer: EmptyResult;
  };
  /** Asks for the resource templates a server offers, page by page. */
  "resources/templates/list": {
    sentBy: "client";
    params: PaginatedRequestParams;
    result: ListResourceTemplatesResult;
    answer: ListResourceTemplatesResult;
  };
  /** Ends the watch on one resource. Gone in 2026-07-28 in favour of `subscriptions/listen`. */
  "resources/unsubscribe": {
    sentBy: "client";
    params: UnsubscribeRequestParams;
    result: EmptyResult;
    answer: EmptyResult;
  };
  /**
   * Asks the client for its root folders. Deprecated since 2026-07-28: use tool parameters, resource URIs
   * or server settings.
   *
   * @deprecated since 2026-07-28 (SEP-2577): use tool parameters, resource URIs or the server's own
   * configuration. Earliest removal: the first revision released on or after 2027-07-28.
   */
  "roots/list": {
    sentBy: "server";
    params: RequestParams;
    result: ListRootsResult;
    answer: ListRootsResult;
  };
  /**
   * Asks the client to run a prompt on its model, with its user able to look in. Deprecated since
   * 2026-07-28: call a model provider directly instead.
   *
   * @deprecated since 2026-07-28 (SEP-2577): use your model provider's API directly. Earliest removal: the
   * first revision released on or after 2027-07-28.
   */
  "sampling/createMessage": {
    sentBy: "server";
    params: CreateMessageRequestParams;
    result: CreateMessageResult;
    answer: CreateMessageResult | CreateTaskResult;
  };
  /**
   * Asks the side that runs a task to stop it; a finished task is answered with `-32602` (2025-11-25
   * only).
   */
  "tasks/cancel": {
    sentBy: "client" | "server";
    params: CancelTaskRequestParams;
    result: CancelTaskResult;
    answer: CancelTaskResult;
  };
  /** Asks how a task is doing; meant for polling (2025-11-25 only). */
  "tasks/get": {
    sentBy: "client" | "server";
    params: GetTaskRequestParams;
    result: GetTaskResult;
    answer: GetTaskResult;
  };
  /** Asks for the tasks the other side is keeping, page by page (2025-11-25 only). */
  "tasks/list": {
    sentBy: "client" | "server";
    params: PaginatedRequestParams;
    result: ListTasksResult;
    answer: ListTasksResult;
  };
  /** Asks for the outcome of a task and waits until there is one (2025-11-25 only). */
  "tasks/result": {
    sentBy: "client" | "server";
    params: GetTaskPayloadRequestParams;
    result: GetTaskPayloadResult;
    answer: GetTaskPayloadResult;
  };
  /** Asks the server to run one tool. */
  "tools/call": {
    sentBy: "client";
    params: CallToolRequestParams;
    result: CallToolResult;
    answer: CallToolResult | CreateTaskResult;
  };
  /** Asks for the tools a server offers, page by page. */
  "tools/list": {
    sentBy: "client";
    params: PaginatedRequestParams;
    result: ListToolsResult;
    answer: ListToolsResult;
  };
}

/** Notifications of 2025-11-25: who sends it and its params. */
export interface Notifications {
  /**
   * Tells the other side to stop work on a running request; either side may send it, but never for
   * `initialize`.
   */
  "notifications/cancelled": {
    sentBy: "client" | "server";
    params: CancelledNotificationParams;
  };
  /**
   * Tells the client that the user has finished on the web page, so the blocked call may be tried again
   * (2025-11-25 only). Servers need not send it.
   */
  "notifications/elicitation/complete": {
    sentBy: "server";
    params: ElicitationCompleteNotificationParams;
  };
  /** Client's word that it has taken in the `initialize` result and normal traffic may begin. */
  "notifications/initialized": {
    sentBy: "client";
    params: NotificationParams;
  };
  /**
   * Log line from the server; sent at will until the client sets a level with `logging/setLevel`.
   * Deprecated since 2026-07-28: use stderr or OpenTelemetry.
   *
   * @deprecated since 2026-07-28 (SEP-2577): use stderr (stdio) or OpenTelemetry. Earliest removal: the
   * first revision released on or after 2027-07-28.
   */
  "notifications/message": {
    sentBy: "server";
    params: LoggingMessageNotificationParams;
  };
  /**
   * Reports how far a running request has come; sent by the side that works on it, only if the request
   * carried a progress token.
   */
  "notifications/progress": {
    sentBy: "client" | "server";
    params: ProgressNotificationParams;
  };
  /** Says that the set of prompts has changed, so fetch it again; sent without having been asked for. */
  "notifications/prompts/list_changed": {
    sentBy: "server";
    params: NotificationParams;
  };
  /** Says that the set of resources has changed, so fetch it again; sent without having been asked for. */
  "notifications/resources/list_changed": {
    sentBy: "server";
    params: NotificationParams;
  };
  /** Says that a watched resource has changed, so read it again; sent only after `resources/subscribe`. */
  "notifications/resources/updated": {
    sentBy: "server";
    params: ResourceUpdatedNotificationParams;
  };
  /**
   * Client's word that its root folders have changed; the server may ask for them again. Gone in
   * 2026-07-28.
   *
   * @deprecated since 2026-07-28 (SEP-2577): use tool parameters, resource URIs or the server's own
   * configuration. Earliest removal: the first revision released on or after 2027-07-28.
   */
  "notifications/roots/list_changed": {
    sentBy: "client";
    params: NotificationParams;
  };
  /**
   * Tells the requester that a task has a new status (2025-11-25 only); it may never come, so keep
   * polling.
   */
  "notifications/tasks/status": {
    sentBy: "client" | "server";
    params: TaskStatusNotificationParams;
  };
  /** Says that the set of tools has changed, so fetch it again; sent without having been asked for. */
  "notifications/tools/list_changed": {
    sentBy: "server";
    params: NotificationParams;
  };
}

/** Every method and notification of 2025-11-25. A method that is not here does not exist in this revision. */
export const methods: { readonly [M in keyof Methods | keyof Notifications]: MethodInfo } = /* @__PURE__ */ (() => ({
  ...before,
  "elicitation/create": {
    kind: "request",
    sentBy: "server",
    requires: { client: "elicitation" },
    task: true,
  },
  "notifications/elicitation/complete": {
    kind: "notification",
    sentBy: "server",
    requires: { client: "elicitation.url" },
  },
  "notifications/tasks/status": {
    kind: "notification",
    sentBy: "either",
    requires: { client: "tasks", server: "tasks" },
    coalesceBy: ["taskId"],
  },
  "sampling/createMessage": {
    kind: "request",
    sentBy: "server",
    requires: { client: "sampling" },
    task: true,
  },
  "tasks/cancel": {
    kind: "request",
    sentBy: "either",
    requires: { client: "tasks.cancel", server: "tasks.cancel" },
  },
  "tasks/get": {
    kind: "request",
    sentBy: "either",
    requires: { client: "tasks", server: "tasks" },
    repeatable: true,
    polled: true,
  },
  "tasks/list": {
    kind: "request",
    sentBy: "either",
    requires: { client: "tasks.list", server: "tasks.list" },
    repeatable: true,
  },
  "tasks/result": {
    kind: "request",
    sentBy: "either",
    requires: { client: "tasks", server: "tasks" },
    repeatable: true,
  },
  "tools/call": { kind: "request", sentBy: "client", requires: { server: "tools" }, task: true },
}))();
