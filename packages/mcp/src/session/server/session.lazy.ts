import {
  ErrorCode,
  Peer,
  RpcError,
  type CallOptions,
  type Closed,
  type CloseOptions,
  type Connection,
  type Network,
  type Scope,
} from "@tenon/jsonrpc2";
import { writeAccepted } from "@tenon/jsonrpc2/transport";
import type { OutputOf } from "@tenon/jsonschema";
import {
  wireFacts,
  type ClientCapabilities,
  type CreateMessageRequestParams,
  type CreateMessageResult,
  type Implementation,
  type LoggingLevel,
  type Revision,
  type Root,
  type ServerCapabilities,
} from "@tenon/protocol";

import { sessions } from "../../base/diagnostics.ts";
import { McpError } from "../../base/error.ts";
import { SessionState } from "../../base/state.ts";
import type { Receiver } from "../../feature/extensions/outgoing.ts";
import { extending } from "../../feature/extensions/registry.ts";
import { asking, type Asking } from "../../feature/interaction/server/ask.ts";
import { sessionRoots } from "../../feature/roots/server.ts";
import { endSubscriptions } from "../../feature/subscriptions/server.ts";
import type { FormSource, ElicitOutcome, FormParams, UrlParams } from "../../request/elicit.ts";
import type { MethodDefinition, NotificationDefinition, Received, Sent } from "../../request/extension.ts";
import type { Input, InputCallOptions, InputClient } from "../../request/input.ts";
import type { ServerOfSession, InnerServerSession } from "../../request/server/session.ts";
import type { RevisionRules } from "../../revisions/rules.ts";
import { cancellation } from "../cancellation.ts";
import { isHealthCheck, keepingAlive } from "../keep-alive.ts";
import { waitFor } from "../wait.ts";
import type { ServerDefinition } from "./definition.ts";
import { beforeHandshake } from "./open/before-handshake.ts";
import type { Handshake } from "./open/handshake.ts";
import { initialize } from "./open/initialize.ts";
import { modernRequest } from "./open/modern-request.ts";
import { receiveNotification } from "./receive-notification.ts";
import { LiveServerRequest } from "./request.ts";
import { sendHooked } from "./send-hooked.ts";
import { serve } from "./serve.ts";
import { isObserved, publishing } from "./unseen.ts";

/** The sessions that servers open. */
export class LiveServerSession implements InnerServerSession {
  readonly server: ServerOfSession;
  readonly id: string | undefined;
  readonly state: SessionState = new SessionState();
  readonly #definition: ServerDefinition;
  readonly #peer: Peer;
  #handshake: Handshake | undefined;
  #capabilities: ServerCapabilities | undefined;
  #ending: Promise<void> | undefined;
  #initialized = false;

  constructor(server: ServerOfSession, definition: ServerDefinition, connection: Connection) {
    this.server = server;
    this.id = connection.sessionId;
    this.#definition = definition;
    const { maxInFlight, drainMs, timeoutMs, totalTimeoutMs } = definition.limits;
    this.#peer = new Peer(connection, {
      handler: (scope) =>
        scope.id === undefined ? this.#handleNotification(scope) : this.#handleRequest(scope),
      sending: [(next) => (call) => definition.middleware.send(call, this, next, definition)],
      cancellation,
      batches: () => wireFacts(this.#handshake?.rules.revision).batches === true,
      limits: { maxInFlight, drainMs, timeoutMs, totalTimeoutMs },
      isUrgent: isHealthCheck,
      onError: definition.onError,
      onUnsent: definition.onUnsent,
      clock: definition.clock,
    });
    sessions?.publish(this);
  }

  get network(): Network | undefined {
    return this.#peer.network;
  }

  get rules(): RevisionRules | undefined {
    return this.#handshake?.rules;
  }

  get capabilities(): ServerCapabilities | undefined {
    return this.#capabilities;
  }

  get revision(): Revision | undefined {
    return this.#handshake?.rules.revision;
  }

  get initialized(): boolean {
    return this.#initialized;
  }

  get clientInfo(): Implementation | undefined {
    return this.#handshake?.client.info;
  }

  get clientCapabilities(): ClientCapabilities | undefined {
    return this.#handshake?.client.capabilities;
  }

  get closed(): Promise<Closed> {
    return this.#peer.closed;
  }

  async wait(options: { signal?: AbortSignal | undefined } = {}): Promise<void> {
    await waitFor(this.#peer.closed, options.signal);
  }

  async close(options?: CloseOptions): Promise<void> {
    this.#ending ??= endSubscriptions(this) ?? writeAccepted;
    await this.#ending;
    await this.#peer.close(options);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  notify(method: string, params?: object): Promise<void>;
  notify<P>(notification: NotificationDefinition<P>, params: Sent<P>): Promise<void>;
  async notify(method: string | NotificationDefinition, params?: object): Promise<void> {
    if (typeof method === "object") {
      if (this.#initialized) {
        await extending.use(({ notifyExtension }) =>
          notifyExtension(method, params, this.#receiver(method), (encoded) =>
            this.#peer.notify(method.method, encoded),
          ),
        );
      }
      return;
    }
    const rules = this.#handshake?.rules;
    const isModern = rules === undefined && this.#definition.revisions.modern.length > 0;
    if (isModern || (this.#initialized && rules?.methods[method]?.kind === "notification")) {
      await this.#peer.notify(method, params);
    }
  }

  request(method: string, params?: object, options?: InputCallOptions): Promise<unknown>;
  request<P, R>(method: MethodDefinition<P, R>, params: Sent<P>, options?: CallOptions): Promise<Received<R>>;
  async request(
    method: string | MethodDefinition,
    params?: object,
    options?: InputCallOptions,
  ): Promise<unknown> {
    const name = typeof method === "object" ? method.method : method;
    const { rules, client } = this.#requireHandshake(name);
    if (!this.#initialized && name !== "ping") {
      const message = `Cannot send ${name}: the client has not sent notifications/initialized yet.`;
      throw new McpError("NOT_READY", message);
    }
    if (typeof method === "object") {
      return extending.use(({ requestExtension }) =>
        requestExtension(method, params, this.#receiver(method), (encoded) =>
          this.#peer.call(method.method, encoded, options),
        ),
      );
    }
    return asking.use(({ requireCapability }) => {
      requireCapability(client.capabilities, { method, params, rules });
      const send = this.#peer.call.bind(this.#peer);
      const { revision } = rules;
      return sendHooked(this.#definition, { session: this, client, revision, method, params, options, send });
    });
  }

  /** The client of a session with a handshake. */
  #receiver({ extension }: MethodDefinition | NotificationDefinition): Receiver {
    const active = this.#definition.extensions.isActive(extension, this.clientCapabilities);
    return { era: "legacy", active };
  }

  #requireHandshake(name: string): Handshake {
    if (this.#handshake === undefined) {
      const message = `Cannot send ${name}: in a session without handshake servers send no requests.`;
      throw new McpError("NOT_IN_REVISION", message);
    }
    return this.#handshake;
  }

  async elicit<const S extends FormSource>(
    params: FormParams<S> | UrlParams,
    options?: InputCallOptions,
  ): Promise<ElicitOutcome<OutputOf<S>>> {
    const outcome = await this.#ask(
      ({ elicitationInput }, client) => elicitationInput(params, client),
      options,
    );
    return outcome as ElicitOutcome<OutputOf<S>>;
  }

  createMessage(
    params: CreateMessageRequestParams,
    options?: InputCallOptions,
  ): Promise<CreateMessageResult> {
    return this.#ask(({ samplingInput }, client) => samplingInput(params, client), options);
  }

  listRoots(options?: CallOptions): Promise<readonly Root[]> {
    return this.#ask(({ rootsInput }, client) => rootsInput(client), options);
  }

  roots(): AsyncIterableIterator<Root> {
    return sessionRoots(this);
  }

  async #ask<T>(
    make: (using: Asking, client: InputClient) => Input<T>,
    options?: InputCallOptions,
  ): Promise<T> {
    const client = this.#requireHandshake("an input request");
    const { method, params, read } = await asking.use((using) => make(using, client));
    return read(await this.request(method, params, { timeoutMs: Infinity, ...options }));
  }

  log(level: LoggingLevel, data: unknown, logger?: string): Promise<void> {
    return this.#definition.logging.logOn(this, level, data, logger);
  }

  #startKeepAlive(): void {
    const { keepAlive: options, clock } = this.#definition;
    if (options === undefined || this.#initialized) {
      return;
    }
    // The server has loaded the module before it connected.
    void keepingAlive.use(({ keepAlive }) => {
      const stop = keepAlive(options, clock, {
        received: () => this.#peer.received,
        ask: (totalTimeoutMs) => this.request("ping", {}, { totalTimeoutMs }),
        fail: (error) => void this.#peer.close({ drainMs: 0, error }),
      });
      void this.closed.then(stop);
    });
  }

  #handleNotification(scope: Scope): unknown {
    if (scope.method === "notifications/initialized" && this.#handshake !== undefined) {
      this.#startKeepAlive();
      this.#initialized = true;
    }
    return receiveNotification(scope, this.#definition, this, this.#handshake);
  }

  #handleRequest(scope: Scope): unknown {
    const definition = this.#definition;
    const modern = modernRequest(scope, definition, this);
    if (modern !== undefined) {
      return serve(definition, modern);
    }
    if (scope.method === "initialize") {
      return isObserved()
        ? publishing(this.#definition, scope, this, () => this.#initialize(scope))
        : this.#initialize(scope);
    }
    if (this.#handshake !== undefined) {
      const { rules, client } = this.#handshake;
      return serve(definition, new LiveServerRequest(definition, this, scope, rules, client));
    }
    return beforeHandshake(scope, definition, this);
  }

  #initialize(scope: Scope): unknown {
    if (this.#handshake !== undefined) {
      const refusal = new RpcError(ErrorCode.InvalidRequest, "initialize was already sent in this session");
      this.#definition.tolerate("repeatedInitialize", refusal);
    }
    const { handshake, capabilities, result } = initialize(scope, this.#definition, true);
    this.#handshake = handshake;
    this.#capabilities = capabilities;
    return result;
  }
}
