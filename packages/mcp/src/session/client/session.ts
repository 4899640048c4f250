import type { Clock } from "@tenon/base";
import type { Authorization, Closed, CloseOptions, Network, Peer } from "@tenon/jsonrpc2";
import type {
  CallToolResult,
  ClientCapabilities,
  Era,
  Implementation,
  InputRequests,
  InputRequiredResult,
  InputResponses,
  LoggingLevel,
  Prompt,
  Resource,
  ResourceTemplate,
  Revision,
  ServerCapabilities,
  SubscriptionFilter,
  Tool,
} from "@tenon/protocol";

import { sessions } from "../../base/diagnostics.ts";
import { SessionState } from "../../base/state.ts";
import type { Tolerate } from "../../base/strictness.ts";
import { extensionPages, pages } from "../../feature/listing/client.ts";
import { listening } from "../../feature/subscriptions/client/kept.ts";
import { watchResource } from "../../feature/subscriptions/client/watch.ts";
import { callTool, listRemembering } from "../../feature/tools/client.ts";
import { typedTools } from "../../feature/tools/client/typed-tools.ts";
import { hasCapability } from "../../request/capabilities.ts";
import type { InnerClientSession } from "../../request/client/inner-session.ts";
import type { ListOptions, RequestOptions } from "../../request/client/options.ts";
import type { ClientOfSession, Negotiated } from "../../request/client/session.ts";
import {
  type ListenOptions,
  type Subscription,
  type ResourceWatch,
} from "../../request/client/subscription.ts";
import { type CallToolParams, type TypedToolNames, type TypedTools } from "../../request/client/tools.ts";
import type {
  ItemOf,
  MethodDefinition,
  NotificationDefinition,
  Received,
  Sent,
} from "../../request/extension.ts";
import type { ByHand, Method, RequestParamsOf, ResultOf } from "../../request/method-types.ts";
import type { SessionExtensionProperties } from "../../request/open.ts";
import type { DefinedTool, ToolCallArguments, ToolOutput, ToolReference } from "../../request/tool.ts";
import type { RevisionRules } from "../../revisions/rules.ts";
import { waitFor } from "../wait.ts";
import type { Agreement, ProgressTokens } from "./agreement.ts";
import type { ClientDefinition } from "./definition.ts";
import { lastWork } from "./last-work.ts";
import { unknownRequestOption } from "./request-options.ts";
import { Requester } from "./requester.ts";

// oxlint-disable-next-line typescript/no-unsafe-declaration-merging -- Extensions add properties.
export interface LiveClientSession extends SessionExtensionProperties {}
/** The sessions that clients open. */
export class LiveClientSession implements InnerClientSession {
  readonly client: ClientOfSession;
  readonly #definition: ClientDefinition;
  readonly state: SessionState = new SessionState();
  readonly negotiated: Negotiated;
  readonly authorization: Authorization | undefined;
  readonly #peer: Peer;
  readonly rules: RevisionRules;
  readonly #declared: ClientCapabilities;
  readonly #requester: Requester;
  #isClosed = false;

  constructor(
    client: ClientOfSession,
    definition: ClientDefinition,
    peer: Peer,
    agreed: Agreement,
    tokens: ProgressTokens,
  ) {
    this.client = client;
    this.negotiated = agreed.negotiated;
    this.authorization = agreed.authorization;
    this.#peer = peer;
    this.rules = agreed.rules;
    this.#declared = agreed.declared;
    this.#definition = definition;
    this.#requester = new Requester(this, definition, peer, agreed, tokens);
    void peer.closed.then(() => {
      this.#isClosed = true;
    });
    sessions?.publish(this);
  }

  get network(): Network | undefined {
    return this.#peer.network;
  }

  get revision(): Revision {
    return this.rules.revision;
  }

  get era(): Era {
    return this.rules.era;
  }

  get clock(): Clock {
    return this.#definition.clock;
  }

  get tolerate(): Tolerate {
    return this.#definition.tolerate;
  }

  get onError(): (error: unknown) => void {
    return this.#definition.onError;
  }

  get timeoutMs(): number {
    return this.#definition.limits.timeoutMs;
  }

  get probeTimeoutMs(): number {
    return this.#definition.limits.probeTimeoutMs;
  }

  get maxListedOutputs(): number {
    return this.#definition.limits.maxListedOutputs;
  }

  get serverInfo(): Implementation | undefined {
    return this.negotiated.serverInfo;
  }

  get declaredCapabilities(): ClientCapabilities {
    return this.#declared;
  }

  get serverCapabilities(): ServerCapabilities {
    return this.negotiated.capabilities;
  }

  offers(method: string): boolean {
    const { methods } = this.rules;
    const path = methods[method]?.requires?.server;
    return (
      Object.hasOwn(methods, method) && (path === undefined || hasCapability(this.serverCapabilities, path))
    );
  }

  get instructions(): string | undefined {
    return this.negotiated.instructions;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get closed(): Promise<Closed> {
    return this.#peer.closed;
  }

  async wait(options: { signal?: AbortSignal | undefined } = {}): Promise<void> {
    await waitFor(this.#peer.closed, options.signal);
  }

  async close(options: CloseOptions = {}): Promise<void> {
    if (this.#definition.beforeClose.length > 0 && !this.#isClosed) {
      await lastWork(this, this.#definition, options.drainMs);
    }
    await this.#peer.close(options);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  request<M extends Method>(
    method: M,
    params: RequestParamsOf<M> | undefined,
    options: ByHand,
  ): Promise<ResultOf<M> | InputRequiredResult>;
  request<M extends Method>(
    method: M,
    params?: RequestParamsOf<M>,
    options?: RequestOptions,
  ): Promise<ResultOf<M>>;
  request<P, R>(
    method: MethodDefinition<P, R>,
    params: Sent<P>,
    options?: RequestOptions,
  ): Promise<Received<R>>;
  request(
    method: Method | MethodDefinition,
    params?: object,
    options: RequestOptions = {},
  ): Promise<unknown> {
    const name = typeof method === "object" ? method.method : method;
    const problem = unknownRequestOption(name, options, this.#definition.requestOptions);
    if (problem !== undefined) {
      return Promise.reject(new TypeError(problem));
    }
    return typeof method === "object"
      ? this.#requester.requestExtension(method, params, options)
      : this.#requester.request(method, params, options);
  }

  forgetStale(notification: string, params: Readonly<Record<string, unknown>>): void {
    this.#requester.forgetStale(notification, params);
  }

  notify(method: string, params?: object): Promise<void>;
  notify<P>(notification: NotificationDefinition<P>, params: Sent<P>): Promise<void>;
  async notify(method: string | NotificationDefinition, params?: object): Promise<void> {
    await this.#requester.notify(method, params);
  }

  async ping(params: RequestParamsOf<"ping"> = {}, options?: RequestOptions): Promise<void> {
    const method = this.era === "legacy" ? "ping" : "server/discover";
    await this.request(method, params, { ...options, fresh: true });
  }

  listTools(
    params?: RequestParamsOf<"tools/list">,
    options?: RequestOptions,
  ): Promise<ResultOf<"tools/list">> {
    return listRemembering(this, params, options);
  }

  tools(options?: ListOptions): AsyncIterableIterator<Tool> {
    return pages(this, "tools", options);
  }

  callTool<const I, const O>(
    tool: ToolReference<I, O>,
    args: ToolCallArguments<I>,
    options?: RequestOptions,
  ): Promise<ToolOutput<O>>;
  callTool(params: CallToolParams, options: ByHand): Promise<CallToolResult | InputRequiredResult>;
  callTool(params: CallToolParams, options?: RequestOptions): Promise<CallToolResult>;
  callTool(
    tool: { readonly name: string } | string,
    second?: unknown,
    third?: RequestOptions,
  ): Promise<unknown> {
    return callTool(this, tool, second, third);
  }

  typed<T extends readonly DefinedTool[]>(tools: T): TypedTools<T>;
  typed<T extends readonly DefinedTool[]>(): TypedToolNames<T>;
  typed(tools?: readonly DefinedTool[]): unknown {
    return typedTools(this, tools);
  }

  listPrompts(
    params?: RequestParamsOf<"prompts/list">,
    options?: RequestOptions,
  ): Promise<ResultOf<"prompts/list">> {
    return this.request("prompts/list", params, options);
  }

  prompts(options?: ListOptions): AsyncIterableIterator<Prompt> {
    return pages(this, "prompts", options);
  }

  getPrompt(
    params: RequestParamsOf<"prompts/get">,
    options?: RequestOptions,
  ): Promise<ResultOf<"prompts/get">> {
    return this.request("prompts/get", params, options);
  }

  listResources(
    params?: RequestParamsOf<"resources/list">,
    options?: RequestOptions,
  ): Promise<ResultOf<"resources/list">> {
    return this.request("resources/list", params, options);
  }

  resources(options?: ListOptions): AsyncIterableIterator<Resource> {
    return pages(this, "resources", options);
  }

  listResourceTemplates(
    params?: RequestParamsOf<"resources/templates/list">,
    options?: RequestOptions,
  ): Promise<ResultOf<"resources/templates/list">> {
    return this.request("resources/templates/list", params, options);
  }

  resourceTemplates(options?: ListOptions): AsyncIterableIterator<ResourceTemplate> {
    return pages(this, "resourceTemplates", options);
  }

  readResource(
    params: RequestParamsOf<"resources/read">,
    options?: RequestOptions,
  ): Promise<ResultOf<"resources/read">> {
    return this.request("resources/read", params, options);
  }

  complete(
    params: RequestParamsOf<"completion/complete">,
    options?: RequestOptions,
  ): Promise<ResultOf<"completion/complete">> {
    return this.request("completion/complete", params, options);
  }

  setLogLevel(level: LoggingLevel, options: RequestOptions = {}): Promise<void> {
    return this.#requester.setLogLevel(level, options);
  }

  async subscribe(params: { readonly uri: string }, options?: RequestOptions): Promise<void> {
    await this.request("resources/subscribe", params, options);
  }

  async unsubscribe(params: { readonly uri: string }, options?: RequestOptions): Promise<void> {
    await this.request("resources/unsubscribe", params, options);
  }

  async listen(filter: SubscriptionFilter, options: ListenOptions): Promise<Subscription> {
    return listening.use(({ openSubscription }) => openSubscription(this, filter, options));
  }

  answerInputs(requests: InputRequests, options: RequestOptions = {}): Promise<InputResponses> {
    return this.#requester.answerInputs(requests, options);
  }

  pages<P, R>(
    method: MethodDefinition<P, R>,
    params: Sent<P>,
    options?: ListOptions,
  ): AsyncIterableIterator<ItemOf<Received<R>>> {
    return extensionPages(this, method, params as object, options) as never;
  }

  watch(uri: string, options: { readonly signal?: AbortSignal | undefined } = {}): ResourceWatch {
    return watchResource(this, uri, options.signal);
  }
}
