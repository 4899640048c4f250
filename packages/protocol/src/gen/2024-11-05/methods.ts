// Generated from schema/2024-11-05/schema.json by tools/codegen, version 2. Do not edit.
// Schema sha256: a14216d3743ca9164f89cf5751f2963d49aa06f8941cd29ec975131cd2faec4c
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
  EmptyResult,
  GetPromptRequestParams,
  GetPromptResult,
  InitializeRequestParams,
  InitializeResult,
  InitializedNotificationParams,
  ListPromptsRequestParams,
  ListPromptsResult,
  ListResourceTemplatesRequestParams,
  ListResourceTemplatesResult,
  ListResourcesRequestParams,
  ListResourcesResult,
  ListRootsRequestParams,
  ListRootsResult,
  ListToolsRequestParams,
  ListToolsResult,
  LoggingMessageNotificationParams,
  PingRequestParams,
  ProgressNotificationParams,
  PromptListChangedNotificationParams,
  ReadResourceRequestParams,
  ReadResourceResult,
  ResourceListChangedNotificationParams,
  ResourceUpdatedNotificationParams,
  RootsListChangedNotificationParams,
  SetLevelRequestParams,
  SubscribeRequestParams,
  ToolListChangedNotificationParams,
  UnsubscribeRequestParams,
} from "./types.ts";

/**
 * Requests of 2024-11-05: who sends it, its params, its final result, and everything that may come as an answer (a task or
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
    params: PingRequestParams;
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
    params: ListPromptsRequestParams;
    result: ListPromptsResult;
    answer: ListPromptsResult;
  };
  /** Asks for the resources a server offers, page by page. */
  "resources/list": {
    sentBy: "client";
    params: ListResourcesRequestParams;
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
    params: ListResourceTemplatesRequestParams;
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
    params: ListRootsRequestParams;
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
    answer: CreateMessageResult;
  };
  /** Asks the server to run one tool. */
  "tools/call": {
    sentBy: "client";
    params: CallToolRequestParams;
    result: CallToolResult;
    answer: CallToolResult;
  };
  /** Asks for the tools a server offers, page by page. */
  "tools/list": {
    sentBy: "client";
    params: ListToolsRequestParams;
    result: ListToolsResult;
    answer: ListToolsResult;
  };
}

/** Notifications of 2024-11-05: who sends it and its params. */
export interface Notifications {
  /**
   * Tells the other side to stop work on a running request; either side may send it, but never for
   * `initialize`.
   */
  "notifications/cancelled": {
    sentBy: "client" | "server";
    params: CancelledNotificationParams;
  };
  /** Client's word that it has taken in the `initialize` result and normal traffic may begin. */
  "notifications/initialized": {
    sentBy: "client";
    params: InitializedNotificationParams;
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
    params: PromptListChangedNotificationParams;
  };
  /** Says that the set of resources has changed, so fetch it again; sent without having been asked for. */
  "notifications/resources/list_changed": {
    sentBy: "server";
    params: ResourceListChangedNotificationParams;
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
    params: RootsListChangedNotificationParams;
  };
  /** Says that the set of tools has changed, so fetch it again; sent without having been asked for. */
  "notifications/tools/list_changed": {
    sentBy: "server";
    params: ToolListChangedNotificationParams;
  };
}

/** Every method and notification of 2024-11-05. A method that is not here does not exist in this revision. */
export const methods: { readonly [M in keyof Methods | keyof Notifications]: MethodInfo } = /* @__PURE__ */ (() => ({
  "completion/complete": { kind: "request", sentBy: "client", repeatable: true },
  "initialize": { kind: "request", sentBy: "client" },
  "logging/setLevel": {
    kind: "request",
    sentBy: "client",
    requires: { server: "logging" },
    repeatable: true,
    stateBy: [],
  },
  "notifications/cancelled": { kind: "notification", sentBy: "either", repeatable: true },
  "notifications/initialized": { kind: "notification", sentBy: "client", repeatable: true },
  "notifications/message": { kind: "notification", sentBy: "server", requires: { server: "logging" } },
  "notifications/progress": {
    kind: "notification",
    sentBy: "either",
    repeatable: true,
    coalesceBy: ["progressToken"],
  },
  "notifications/prompts/list_changed": {
    kind: "notification",
    sentBy: "server",
    requires: { server: "prompts.listChanged" },
    change: "list",
    invalidates: ["prompts/list"],
    hook: "onPromptsChanged",
    coalesceBy: [],
  },
  "notifications/resources/list_changed": {
    kind: "notification",
    sentBy: "server",
    requires: { server: "resources.listChanged" },
    change: "list",
    invalidates: ["resources/list", "resources/templates/list"],
    hook: "onResourcesChanged",
    coalesceBy: [],
  },
  "notifications/resources/updated": {
    kind: "notification",
    sentBy: "server",
    requires: { server: "resources.subscribe" },
    change: "resource",
    invalidates: ["resources/read"],
    hook: "onResourceUpdated",
    coalesceBy: ["uri"],
  },
  "notifications/roots/list_changed": {
    kind: "notification",
    sentBy: "client",
    requires: { client: "roots.listChanged" },
    repeatable: true,
  },
  "notifications/tools/list_changed": {
    kind: "notification",
    sentBy: "server",
    requires: { server: "tools.listChanged" },
    change: "list",
    invalidates: ["tools/list"],
    hook: "onToolsChanged",
    coalesceBy: [],
  },
  "ping": { kind: "request", sentBy: "either", repeatable: true },
  "prompts/get": { kind: "request", sentBy: "client", requires: { server: "prompts" }, repeatable: true },
  "prompts/list": { kind: "request", sentBy: "client", requires: { server: "prompts" }, repeatable: true },
  "resources/list": {
    kind: "request",
    sentBy: "client",
    requires: { server: "resources" },
    repeatable: true,
  },
  "resources/read": {
    kind: "request",
    sentBy: "client",
    requires: { server: "resources" },
    repeatable: true,
  },
  "resources/subscribe": {
    kind: "request",
    sentBy: "client",
    requires: { server: "resources.subscribe" },
    repeatable: true,
    stateBy: ["uri"],
  },
  "resources/templates/list": {
    kind: "request",
    sentBy: "client",
    requires: { server: "resources" },
    repeatable: true,
  },
  "resources/unsubscribe": {
    kind: "request",
    sentBy: "client",
    requires: { server: "resources.subscribe" },
    repeatable: true,
    stateBy: ["uri"],
    undoes: "resources/subscribe",
  },
  "roots/list": { kind: "request", sentBy: "server", requires: { client: "roots" } },
  "sampling/createMessage": { kind: "request", sentBy: "server", requires: { client: "sampling" } },
  "tools/call": { kind: "request", sentBy: "client", requires: { server: "tools" } },
  "tools/list": { kind: "request", sentBy: "client", requires: { server: "tools" }, repeatable: true },
}))();
