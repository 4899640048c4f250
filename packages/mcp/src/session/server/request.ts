import { anySignal } from "@tenon/base";
import type { Clock } from "@tenon/base";
import type { RequestId, Scope } from "@tenon/jsonrpc2";
import {
  metaOf,
  type AuthInfo,
  type HttpRequestInfo,
  type InputResponses,
  type Revision,
} from "@tenon/protocol";

import { McpError } from "../../base/error.ts";
import { SessionState } from "../../base/state.ts";
import type { Receiver } from "../../feature/extensions/outgoing.ts";
import { extending } from "../../feature/extensions/registry.ts";
import { ask, runStep } from "../../feature/interaction/server/ask.ts";
import { reportProgress } from "../../feature/progress/server.ts";
import type { ElicitOutcome, FormParams, FormSource, UrlParams } from "../../request/elicit.ts";
import type { MethodDefinition, NotificationDefinition } from "../../request/extension.ts";
import type { InputCallOptions, InputOptions } from "../../request/input.ts";
import type { CallOfRequest, NotifyOfRequest } from "../../request/method-types.ts";
import type { ContextExtensionProperties } from "../../request/open.ts";
import type { ClientDescription, RequestContext } from "../../request/server/context.ts";
import type { Interaction, InteractionService } from "../../request/server/interaction.ts";
import type { ChangedRequest, InnerServerRequest } from "../../request/server/request.ts";
import type { InnerServerSession } from "../../request/server/session.ts";
import type { RevisionRules } from "../../revisions/rules.ts";
import type { ServerDefinition } from "./definition.ts";
import { sendHooked } from "./send-hooked.ts";

const nothing: Readonly<Record<string, unknown>> = Object.freeze({});

/**
 * The requests and notifications that clients send. What handlers may do are getters of functions,
 * so that `({ progress, log })` works, and only those that are used are made.
 */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging -- Extensions add properties.
export interface LiveServerRequest extends ContextExtensionProperties {}
export class LiveServerRequest implements InnerServerRequest {
  readonly #definition: ServerDefinition;
  readonly session: InnerServerSession | undefined;
  readonly rules: RevisionRules;
  readonly client: ClientDescription;
  readonly params: Readonly<Record<string, unknown>>;
  readonly #scope: Scope;
  /** The received request, with the state that all its copies share. */
  readonly #original: LiveServerRequest | undefined;
  #interaction: Interaction | undefined;
  #limited: AbortSignal | undefined;
  #asks = false;
  #onOutcome: ((outcome: Promise<object>) => void) | undefined;
  #state: SessionState | undefined;
  #properties: ChangedRequest["properties"];

  constructor(
    definition: ServerDefinition,
    session: InnerServerSession | undefined,
    scope: Scope,
    rules: RevisionRules,
    client: ClientDescription,
    params: Readonly<Record<string, unknown>> = (scope.params ?? nothing) as Readonly<
      Record<string, unknown>
    >,
    original?: LiveServerRequest,
  ) {
    this.#original = original;
    this.#definition = definition;
    this.session = session;
    this.#scope = scope;
    this.rules = rules;
    this.client = client;
    this.params = params;
  }

  get state(): SessionState {
    return this.session?.state ?? (this.original.#state ??= new SessionState());
  }

  get id(): RequestId | undefined {
    return this.#scope.id;
  }

  get signal(): AbortSignal {
    return this.original.#limited ?? this.#scope.signal;
  }

  /** Aborts the signal of the request also with another signal. */
  limit(signal: AbortSignal): void {
    this.original.#limited = anySignal([this.#scope.signal, signal]);
  }

  get method(): string {
    return this.#scope.method;
  }

  get revision(): Revision {
    return this.rules.revision;
  }

  get meta(): Readonly<Record<string, unknown>> {
    return metaOf(this.params) ?? nothing;
  }

  get http(): HttpRequestInfo | undefined {
    return this.#scope.extra?.http;
  }

  get auth(): AuthInfo | undefined {
    return this.#scope.extra?.auth;
  }

  get original(): LiveServerRequest {
    return this.#original ?? this;
  }

  with({ params = this.params, properties }: ChangedRequest): LiveServerRequest {
    const { session, rules, client, original } = this;
    const copy = new LiveServerRequest(
      this.#definition,
      session,
      this.#scope,
      rules,
      client,
      params,
      original,
    );
    copy.#properties = { ...this.#properties, ...properties };
    return Object.assign(copy, copy.#properties);
  }

  get notify(): NotifyOfRequest {
    return (method: string | NotificationDefinition, params: object) =>
      typeof method === "string"
        ? this.#scope.notify(method, params)
        : extending.use(({ notifyExtension }) =>
            notifyExtension(method, params, this.#receiver(method), (encoded) =>
              this.#scope.notify(method.method, encoded),
            ),
          );
  }

  #receiver({ extension }: MethodDefinition | NotificationDefinition): Receiver {
    const active = this.#definition.extensions.isActive(extension, this.client.capabilities);
    return { era: this.rules.era, active };
  }

  get call(): CallOfRequest {
    return async (method: string | MethodDefinition, params: object, options?: InputCallOptions) => {
      if (typeof method === "string") {
        const { session, client, revision } = this;
        const send = this.#scope.call.bind(this.#scope);
        const call = { session, client, revision, method, params, options, send };
        return sendHooked(this.#definition, call) as Promise<never>;
      }
      if (this.rules.era === "modern") {
        throw new McpError("NOT_IN_REVISION", `Servers of revision ${this.revision} send no requests.`);
      }
      return extending.use(({ requestExtension }) =>
        requestExtension(method, params, this.#receiver(method), (encoded) =>
          this.#scope.call(method.method, encoded, options),
        ),
      ) as Promise<never>;
    };
  }

  get progress(): RequestContext["progress"] {
    return (progress, total, message) => reportProgress(this, progress, total, message);
  }

  get asks(): boolean {
    return this.original.#asks;
  }

  set asks(asks: boolean) {
    this.original.#asks = asks;
  }

  get interaction(): Interaction | undefined {
    return this.original.#interaction;
  }

  set interaction(interaction: Interaction | undefined) {
    this.original.#interaction = interaction;
  }

  get onOutcome(): ((outcome: Promise<object>) => void) | undefined {
    return this.original.#onOutcome;
  }

  set onOutcome(onOutcome: ((outcome: Promise<object>) => void) | undefined) {
    this.original.#onOutcome = onOutcome;
  }

  get isBare(): boolean {
    return this.#definition.middleware.isBare;
  }

  get clock(): Clock {
    return this.#definition.clock;
  }

  get onError(): (error: unknown) => void {
    return this.#definition.onError;
  }

  get progressIntervalMs(): number {
    return this.#definition.limits.progressIntervalMs;
  }

  get interactions(): InteractionService {
    return this.#definition.interactions;
  }

  get elicit(): RequestContext["elicit"] {
    return (params: FormParams<FormSource> | UrlParams, options?: InputOptions) =>
      ask(this, ({ elicitationInput }) => elicitationInput(params, this), options) as Promise<
        ElicitOutcome<never>
      >;
  }

  get sample(): RequestContext["sample"] {
    return (params, options) => ask(this, ({ samplingInput }) => samplingInput(params, this), options);
  }

  get listRoots(): RequestContext["listRoots"] {
    return (options) => ask(this, ({ rootsInput }) => rootsInput(this), options);
  }

  get step(): RequestContext["step"] {
    return (name, run) => runStep(this, name, run);
  }

  get inputResponses(): InputResponses | undefined {
    return this.interaction?.responses;
  }

  get requestState(): unknown {
    return this.interaction?.userState;
  }

  get unsealedState(): string | undefined {
    return this.interaction?.unsealedState;
  }

  get log(): RequestContext["log"] {
    return (level, data, logger) => this.#definition.logging.logFor(this, level, data, logger);
  }

  park(end?: () => void): () => void {
    return this.#scope.park(end);
  }
}
