// Generated from all revisions in schema/ by tools/codegen, version 2. Do not edit.
// Schema sha256: 573c128075d216a3fa86842ef75133b952150c23ca7a9b152095c979bf075ebb
// To change it: edit schema/, then run `npm run codegen -- generate`.

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
  DiscoverResult,
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
  InputRequiredResult,
  ListPromptsResult,
  ListResourceTemplatesResult,
  ListResourcesResult,
  ListRootsRequestParams,
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
  SubscriptionsAcknowledgedNotificationParams,
  SubscriptionsListenRequestParams,
  SubscriptionsListenResult,
  TaskStatusNotificationParams,
  UnsubscribeRequestParams,
} from "./types.ts";

/**
 * Requests of all revisions: who sends it, its params, its final result, and everything that may come as an answer (a task or
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
  /**
   * Asks the client to get input from its user, by form or by web page (since 2025-06-18); travels inside
   * `inputRequests`, without an envelope.
   */
  "elicitation/create": {
    sentBy: "server";
    params: ElicitRequestParams;
    result: ElicitResult;
    answer: ElicitResult | CreateTaskResult;
  };
  /**
   * First request of a connection: the client proposes a revision and says what it can do. Gone in
   * 2026-07-28, where each request carries this in `_meta`.
   *
   * Until 2025-11-25.
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
   * Until 2025-11-25.
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
   *
   * Until 2025-11-25.
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
    answer: GetPromptResult | InputRequiredResult;
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
    answer: ReadResourceResult | InputRequiredResult;
  };
  /**
   * Asks to be told whenever one resource changes; needs the `resources.subscribe` capability. Gone in
   * 2026-07-28 in favour of `subscriptions/listen`.
   *
   * Until 2025-11-25.
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
  /**
   * Ends the watch on one resource. Gone in 2026-07-28 in favour of `subscriptions/listen`.
   *
   * Until 2025-11-25.
   */
  "resources/unsubscribe": {
    sentBy: "client";
    params: UnsubscribeRequestParams;
    result: EmptyResult;
    answer: EmptyResult;
  };
  /**
   * Asks the client for its root folders; travels inside `inputRequests`, without an envelope. Deprecated
   * since 2026-07-28: use tool parameters, resource URIs or server settings.
   *
   * @deprecated since 2026-07-28 (SEP-2577): use tool parameters, resource URIs or the server's own
   * configuration. Earliest removal: the first revision released on or after 2027-07-28.
   */
  "roots/list": {
    sentBy: "server";
    params: ListRootsRequestParams;
    result: ListRootsResult;
    answer: ListRootsResult;
  };
  /**
   * Asks the client to run a prompt on its model; travels inside `inputRequests`, without an envelope.
   * Deprecated since 2026-07-28: call a model provider directly instead.
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
   * Asks which protocol revisions and features a server offers (since 2026-07-28); every server answers
   * it, no client is obliged to ask.
   */
  "server/discover": {
    sentBy: "client";
    params: RequestParams;
    result: DiscoverResult;
    answer: DiscoverResult;
  };
  /**
   * Opens a long-lived stream of change notifications (since 2026-07-28); the client ends it by closing
   * the HTTP stream or, on stdio, with `notifications/cancelled`.
   */
  "subscriptions/listen": {
    sentBy: "client";
    params: SubscriptionsListenRequestParams;
    result: SubscriptionsListenResult;
    answer: SubscriptionsListenResult;
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
    answer: CallToolResult | CreateTaskResult | InputRequiredResult;
  };
  /** Asks for the tools a server offers, page by page. */
  "tools/list": {
    sentBy: "client";
    params: PaginatedRequestParams;
    result: ListToolsResult;
    answer: ListToolsResult;
  };
}

/** Notifications of all revisions: who sends it and its params. */
export interface Notifications {
  /**
   * Tells the other side to stop work on a running request. Clients send it on stdio only (over HTTP they
   * close the stream); servers send it on stdio only to end a `subscriptions/listen`.
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
  /**
   * Client's word that it has taken in the `initialize` result and normal traffic may begin.
   *
   * Until 2025-11-25.
   */
  "notifications/initialized": {
    sentBy: "client";
    params: NotificationParams;
  };
  /**
   * Log line from the server, sent only while a request that set a log level is running. Deprecated since
   * 2026-07-28: use stderr or OpenTelemetry.
   *
   * @deprecated since 2026-07-28 (SEP-2577): use stderr (stdio) or OpenTelemetry. Earliest removal: the
   * first revision released on or after 2027-07-28.
   */
  "notifications/message": {
    sentBy: "server";
    params: LoggingMessageNotificationParams;
  };
  /**
   * Reports how far a running request has come; sent by the server, only for requests that carried a
   * progress token.
   */
  "notifications/progress": {
    sentBy: "client" | "server";
    params: ProgressNotificationParams;
  };
  /**
   * Says that the set of prompts has changed, so fetch it again; arrives only on a `subscriptions/listen`
   * stream that asked for `promptsListChanged`.
   */
  "notifications/prompts/list_changed": {
    sentBy: "server";
    params: NotificationParams;
  };
  /**
   * Says that the set of resources has changed, so fetch it again; arrives only on a
   * `subscriptions/listen` stream that asked for `resourcesListChanged`.
   */
  "notifications/resources/list_changed": {
    sentBy: "server";
    params: NotificationParams;
  };
  /**
   * Says that a watched resource has changed, so read it again; arrives only on a `subscriptions/listen`
   * stream that named it in `resourceSubscriptions`.
   */
  "notifications/resources/updated": {
    sentBy: "server";
    params: ResourceUpdatedNotificationParams;
  };
  /**
   * Client's word that its root folders have changed; the server may ask for them again. Gone in
   * 2026-07-28.
   *
   * Until 2025-11-25.
   *
   * @deprecated since 2026-07-28 (SEP-2577): use tool parameters, resource URIs or the server's own
   * configuration. Earliest removal: the first revision released on or after 2027-07-28.
   */
  "notifications/roots/list_changed": {
    sentBy: "client";
    params: NotificationParams;
  };
  /**
   * First message of a subscription: tells which of the wanted changes the server will really report
   * (since 2026-07-28).
   */
  "notifications/subscriptions/acknowledged": {
    sentBy: "server";
    params: SubscriptionsAcknowledgedNotificationParams;
  };
  /**
   * Tells the requester that a task has a new status (2025-11-25 only); it may never come, so keep
   * polling.
   */
  "notifications/tasks/status": {
    sentBy: "client" | "server";
    params: TaskStatusNotificationParams;
  };
  /**
   * Says that the set of tools has changed, so fetch it again; arrives only on a `subscriptions/listen`
   * stream that asked for `toolsListChanged`.
   */
  "notifications/tools/list_changed": {
    sentBy: "server";
    params: NotificationParams;
  };
}
