// Generated from schema/2026-07-28/schema.json by tools/codegen, version 2. Do not edit.
// Schema sha256: f0a9a05c4482145e10ec70db81a7c7158780fd63b96f83db3bdee3905ed17022
// To change it: edit schema/, then run `npm run codegen -- generate`.

import type { MethodInfo } from "../../method.ts";
import type {
  CallToolRequestParams,
  CallToolResult,
  CancelledNotificationParams,
  CompleteRequestParams,
  CompleteResult,
  CreateMessageRequestParams,
  CreateMessageResult,
  DiscoverResult,
  ElicitRequestParams,
  ElicitResult,
  GetPromptRequestParams,
  GetPromptResult,
  InputRequiredResult,
  ListPromptsResult,
  ListResourceTemplatesResult,
  ListResourcesResult,
  ListRootsRequestParams,
  ListRootsResult,
  ListToolsResult,
  LoggingMessageNotificationParams,
  NotificationParams,
  PaginatedRequestParams,
  ProgressNotificationParams,
  ReadResourceRequestParams,
  ReadResourceResult,
  RequestParams,
  ResourceUpdatedNotificationParams,
  SubscriptionsAcknowledgedNotificationParams,
  SubscriptionsListenRequestParams,
  SubscriptionsListenResult,
} from "./types.ts";

/**
 * Requests of 2026-07-28: who sends it, its params, its final result, and everything that may come as an answer (a task or
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
    answer: ElicitResult;
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
  /** Asks for the resource templates a server offers, page by page. */
  "resources/templates/list": {
    sentBy: "client";
    params: PaginatedRequestParams;
    result: ListResourceTemplatesResult;
    answer: ListResourceTemplatesResult;
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
    answer: CreateMessageResult;
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
  /** Asks the server to run one tool. */
  "tools/call": {
    sentBy: "client";
    params: CallToolRequestParams;
    result: CallToolResult;
    answer: CallToolResult | InputRequiredResult;
  };
  /** Asks for the tools a server offers, page by page. */
  "tools/list": {
    sentBy: "client";
    params: PaginatedRequestParams;
    result: ListToolsResult;
    answer: ListToolsResult;
  };
}

/** Notifications of 2026-07-28: who sends it and its params. */
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
    sentBy: "server";
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
   * First message of a subscription: tells which of the wanted changes the server will really report
   * (since 2026-07-28).
   */
  "notifications/subscriptions/acknowledged": {
    sentBy: "server";
    params: SubscriptionsAcknowledgedNotificationParams;
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

/** Every method and notification of 2026-07-28. A method that is not here does not exist in this revision. */
export const methods: { readonly [M in keyof Methods | keyof Notifications]: MethodInfo } = /* @__PURE__ */ (() => ({
  "completion/complete": {
    kind: "request",
    sentBy: "client",
    requires: { server: "completions" },
    repeatable: true,
  },
  "elicitation/create": {
    kind: "request",
    sentBy: "server",
    requires: { client: "elicitation" },
    embedded: true,
  },
  "notifications/cancelled": { kind: "notification", sentBy: "either", repeatable: true },
  "notifications/message": { kind: "notification", sentBy: "server", requires: { server: "logging" } },
  "notifications/progress": {
    kind: "notification",
    sentBy: "server",
    repeatable: true,
    coalesceBy: ["progressToken"],
  },
  "notifications/prompts/list_changed": {
    kind: "notification",
    sentBy: "server",
    requires: { server: "prompts.listChanged" },
    filter: "promptsListChanged",
    change: "list",
    invalidates: ["prompts/list"],
    hook: "onPromptsChanged",
    coalesceBy: [],
  },
  "notifications/resources/list_changed": {
    kind: "notification",
    sentBy: "server",
    requires: { server: "resources.listChanged" },
    filter: "resourcesListChanged",
    change: "list",
    invalidates: ["resources/list", "resources/templates/list"],
    hook: "onResourcesChanged",
    coalesceBy: [],
  },
  "notifications/resources/updated": {
    kind: "notification",
    sentBy: "server",
    requires: { server: "resources.subscribe" },
    filter: "resourceSubscriptions",
    change: "resource",
    invalidates: ["resources/read"],
    hook: "onResourceUpdated",
    coalesceBy: ["uri"],
  },
  "notifications/subscriptions/acknowledged": { kind: "notification", sentBy: "server" },
  "notifications/tools/list_changed": {
    kind: "notification",
    sentBy: "server",
    requires: { server: "tools.listChanged" },
    filter: "toolsListChanged",
    change: "list",
    invalidates: ["tools/list"],
    hook: "onToolsChanged",
    coalesceBy: [],
  },
  "prompts/get": {
    kind: "request",
    sentBy: "client",
    requires: { server: "prompts" },
    inputRequired: true,
    header: "name",
    repeatable: true,
  },
  "prompts/list": {
    kind: "request",
    sentBy: "client",
    requires: { server: "prompts" },
    cacheable: true,
    repeatable: true,
  },
  "resources/list": {
    kind: "request",
    sentBy: "client",
    requires: { server: "resources" },
    cacheable: true,
    repeatable: true,
  },
  "resources/read": {
    kind: "request",
    sentBy: "client",
    requires: { server: "resources" },
    cacheable: true,
    inputRequired: true,
    header: "uri",
    repeatable: true,
  },
  "resources/templates/list": {
    kind: "request",
    sentBy: "client",
    requires: { server: "resources" },
    cacheable: true,
    repeatable: true,
  },
  "roots/list": { kind: "request", sentBy: "server", requires: { client: "roots" }, embedded: true },
  "sampling/createMessage": {
    kind: "request",
    sentBy: "server",
    requires: { client: "sampling" },
    embedded: true,
  },
  "server/discover": { kind: "request", sentBy: "client", cacheable: true, repeatable: true },
  "subscriptions/listen": { kind: "request", sentBy: "client" },
  "tools/call": {
    kind: "request",
    sentBy: "client",
    requires: { server: "tools" },
    inputRequired: true,
    header: "name",
  },
  "tools/list": {
    kind: "request",
    sentBy: "client",
    requires: { server: "tools" },
    cacheable: true,
    repeatable: true,
  },
}))();
