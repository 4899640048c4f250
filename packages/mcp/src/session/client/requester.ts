import type { CallOptions, Notification, Peer, RequestId } from "@tenon/jsonrpc2";
import {
  type ElicitRequestURLParams,
  type InputRequests,
  type InputResponses,
  type LoggingLevel,
  type MethodInfo,
  type ProgressNotificationParams,
} from "@tenon/protocol";

import { McpError } from "../../base/error.ts";
import { lazy, type Lazy } from "../../base/lazy.ts";
import { isInputRequiredResult } from "../../base/result.ts";
import { askCached } from "../../feature/cache/client.ts";
import { ResponseCache } from "../../feature/cache/client/cache.ts";
import { requiredUrlElicitations } from "../../feature/elicitation/client/required-urls.ts";
import type * as resumeModule from "../../feature/elicitation/client/resume.lazy.ts";
import { keepVisits, type Visits } from "../../feature/elicitation/client/visits.ts";
import type { Receiver } from "../../feature/extensions/outgoing.ts";
import { extending } from "../../feature/extensions/registry.ts";
import type { InputLoop } from "../../feature/interaction/client/fulfil.lazy.ts";
import type * as fulfilModule from "../../feature/interaction/client/fulfil.lazy.ts";
import { increasing, mayReport } from "../../feature/progress/client.ts";
import { hasCapability } from "../../request/capabilities.ts";
import type { InnerClientSession } from "../../request/client/inner-session.ts";
import type { RequestOptions } from "../../request/client/options.ts";
import type { MethodDefinition, NotificationDefinition } from "../../request/extension.ts";
import type { RevisionRules } from "../../revisions/rules.ts";
import type { Agreement, ProgressTokens } from "./agreement.ts";
import { checkResult } from "./check-result.ts";
import type { ClientDefinition, SentOptions } from "./definition.ts";
import { createEnvelope, type Envelope } from "./envelope.ts";
import { InputRuns } from "./input-runs.ts";
import { withInputs } from "./own-capabilities.ts";
import { LiveClientRequest } from "./request.ts";

/** Provides the input that modern servers request. */
const fulfilling: Lazy<typeof fulfilModule> = lazy(
  () => import("../../feature/interaction/client/fulfil.lazy.ts"),
);

const resuming: Lazy<typeof resumeModule> = lazy(
  () => import("../../feature/elicitation/client/resume.lazy.ts"),
);

/** The state of the round trips of one request. */
interface Trips {
  /** The progress token. */
  readonly token: number | undefined;
  /** The id of the last message, by which input requests name it, if the caller asked for it. */
  id: RequestId | undefined;
}

/**
 * Sends the requests of a client session: in the envelope of its protocol version, through the
 * cache, with progress, and with the input that the server requests.
 */
export class Requester {
  /** The rules of the negotiated protocol version. */
  readonly rules: RevisionRules;
  readonly #session: InnerClientSession;
  readonly #definition: ClientDefinition;
  readonly #peer: Peer;
  readonly #agreed: Agreement;
  readonly #tokens: ProgressTokens;
  readonly #cache: ResponseCache | undefined;
  readonly #envelope: Envelope;
  /** Which pages are finished, if this client waits for that. */
  readonly #visits: Visits | undefined;
  readonly #inputs: InputRuns;
  #lastToken = 0;

  constructor(
    session: InnerClientSession,
    definition: ClientDefinition,
    peer: Peer,
    agreed: Agreement,
    tokens: ProgressTokens,
  ) {
    this.rules = agreed.rules;
    this.#session = session;
    this.#definition = definition;
    this.#inputs = new InputRuns(peer, definition);
    this.#peer = peer;
    this.#agreed = agreed;
    this.#tokens = tokens;
    const { caching, limits, modernLogLevel } = definition;
    const { declared, meta, rules } = agreed;
    this.#envelope = createEnvelope(meta);
    if (limits.pageWaitMs > 0 && rules.urlElicitationError && declared.elicitation?.url) {
      this.#visits = keepVisits(session);
    }
    if (agreed.rules.era === "modern") {
      this.#cache = caching && new ResponseCache(caching.limits, caching.clock);
      this.#envelope.setLogLevel(modernLogLevel);
    }
  }

  /** Sets the level of log messages from now on: see `ClientSession.setLogLevel`. */
  async setLogLevel(level: LoggingLevel, options: RequestOptions): Promise<void> {
    if (this.rules.era === "legacy") {
      await this.request("logging/setLevel", { level }, options);
    } else {
      this.#envelope.setLogLevel(level);
    }
  }

  /** Sends a request and waits for its result: see `ClientSession.request`. */
  request(method: string, params: object | undefined, given: RequestOptions): Promise<object> {
    const options = increasing(given);
    const hook = this.#definition.hooks.get(method);
    return hook === undefined
      ? this.#ask(method, params, options)
      : hook(this.#session, params ?? {}, options, (...changed) => this.#ask(method, ...changed));
  }

  async #ask(method: string, params: object | undefined, options: SentOptions): Promise<object> {
    const isReported = mayReport(method, params, options, this.#definition.limits.timeoutMs);
    const trips: Trips = { token: isReported ? ++this.#lastToken : undefined, id: undefined };
    const info = this.#permitted(method);
    try {
      const result =
        info.cacheable === true && this.#cache !== undefined && options.capabilities === undefined
          ? await this.#exchangeCached(this.#cache, method, params, options, trips)
          : this.#visits === undefined || options.autoFulfil === false
            ? this.#checkResult(method, await this.#send(method, params, options, trips))
            : await this.#resuming(this.#visits, method, params, options, trips);
      return info.inputRequired === true && isInputRequiredResult(result) && options.autoFulfil !== false
        ? await this.#fulfil(method, params, options, result, trips)
        : result;
    } finally {
      this.#forget(trips);
    }
  }

  #forget({ token = 0 }: Trips): void {
    this.#tokens.take(token);
  }

  /** Sends a request of an extension: see `ClientSession.request`. */
  requestExtension(
    method: MethodDefinition,
    params: object | undefined,
    options: RequestOptions,
  ): Promise<unknown> {
    return extending.use(({ requestExtension: ask }) =>
      ask(method, params, this.#receiver(method), (encoded) =>
        method.cacheable === true && this.#cache !== undefined
          ? this.#exchangeCached(this.#cache, method.method, encoded, options)
          : this.exchange(method.method, encoded, options),
      ),
    );
  }

  /** The server, as the receiver of a message of an extension. */
  #receiver({ extension }: MethodDefinition | NotificationDefinition): Receiver {
    const active = this.#definition.extensions.isActive(extension, this.#session.serverCapabilities);
    return { era: this.rules.era, active };
  }

  /**
   * Sends a notification. It is not sent if the protocol version lacks it, if the server has not
   * declared its extension, or if this client has not declared the capability.
   *
   * @source R-170
   */
  async notify(method: string | NotificationDefinition, params: object | undefined): Promise<void> {
    if (typeof method === "object") {
      await extending.use(({ notifyExtension }) =>
        notifyExtension(method, params, this.#receiver(method), (encoded) =>
          this.#peer.notify(method.method, this.#envelope.of(encoded)),
        ),
      );
      return;
    }
    const info = this.rules.methods[method];
    const path = info?.sentBy === "client" ? info.requires?.client : undefined;
    const mayTell = path === undefined || hasCapability(this.#agreed.declared, path);
    if (info?.kind === "notification" && info.sentBy !== "server" && mayTell) {
      await this.#peer.notify(method, this.#envelope.of(params));
    }
  }

  /**
   * Returns the row of the method table for a request, after checking that the protocol version has
   * it and the server has declared the required capability.
   *
   * @source R-170
   */
  #permitted(method: string): MethodInfo {
    const info = this.rules.methods[method];
    if (info?.kind !== "request" || info.sentBy === "server" || info.embedded === true) {
      throw new McpError(
        "NOT_IN_REVISION",
        `Protocol version ${this.rules.revision} has no request ${method} for clients to send.`,
      );
    }
    if (!this.#session.offers(method)) {
      const message = `${method} requires the capability ${info.requires?.server}, which the server has not declared. To send it anyway, set strictness: "lenient".`;
      this.#definition.tolerate("undeclaredServerCapability", new McpError("CAPABILITY_MISSING", message));
    }
    return info;
  }

  #exchangeCached(
    cache: ResponseCache,
    method: string,
    params: object = {},
    options: RequestOptions,
    trips?: Trips,
  ): Promise<object> {
    const context = this.#definition.caching?.context(this.#agreed.authorization) ?? "";
    const call = { method, params: params as Readonly<Record<string, unknown>>, context };
    return askCached(cache, call, options.fresh === true, () =>
      this.exchange(method, params, options, trips),
    );
  }

  /** One round trip. The result is checked. Without a given token, `onProgress` gets one. */
  async exchange(
    method: string,
    params: object | undefined,
    options: SentOptions,
    given?: Trips,
  ): Promise<object> {
    const trips = given ?? { token: options.onProgress && ++this.#lastToken, id: undefined };
    try {
      return this.#checkResult(method, await this.#send(method, params, options, trips));
    } finally {
      this.#forget(trips);
    }
  }

  /**
   * One round trip. The result is not validated yet.
   *
   * @param trips - Its token is forgotten by the caller.
   */
  #send(method: string, params: object | undefined, options: SentOptions, trips: Trips): Promise<unknown> {
    const { token } = trips;
    const enveloped = this.#envelope.of(params, token, options);
    if (token === undefined && options.onId === undefined) {
      return this.#peer.call(method, enveloped, options);
    }
    const { signal, timeoutMs, totalTimeoutMs, relatedTo, onId, onProgress }: CallOptions & SentOptions =
      options;
    // Written out: a spread that is extended takes several times as long, and calls of tools take
    // this way.
    return this.#peer.call(method, enveloped, {
      signal,
      timeoutMs,
      totalTimeoutMs,
      relatedTo,
      onId: (id) => {
        if (token !== undefined) {
          this.#tokens.set(token, id);
        }
        if (onId !== undefined) {
          trips.id = id;
          onId(id);
        }
      },
      onRelated:
        token === undefined
          ? undefined
          : ({ params: progress }: Notification) => onProgress?.(progress as ProgressNotificationParams),
    });
  }

  #fulfil(
    method: string,
    params: object | undefined,
    options: SentOptions,
    first: object,
    trips: Trips,
  ): Promise<object> {
    return this.#inputs.run(options, (signal) =>
      fulfilling.use(({ fulfilInputs }) =>
        fulfilInputs(first, this.#loop(method, params, options, signal, trips)),
      ),
    );
  }

  /** Responds to input requests: see `ClientSession.answerInputs`. */
  answerInputs(requests: InputRequests, options: RequestOptions): Promise<InputResponses> {
    return this.#inputs.run(options, (signal) =>
      fulfilling.use(({ answerInputs }) =>
        answerInputs(requests, this.#loop("answerInputs", undefined, options, signal)),
      ),
    );
  }

  #loop(
    method: string,
    params: object | undefined,
    options: SentOptions,
    signal: AbortSignal,
    trips?: Trips,
  ): InputLoop {
    return {
      method,
      params,
      rules: this.rules,
      declared: withInputs(this.#agreed.declared, options.capabilities),
      limits: this.#definition.limits,
      signal,
      onInputRequired: options.onInputRequired,
      answer: (...input) => this.#answer(...input, trips?.id),
      send: (retry) => this.exchange(method, retry, options, trips),
    };
  }

  /**
   * Sends a request; if pages have to be opened first, has that done and sends it once more.
   *
   * @source R-632
   */
  async #resuming(
    visits: Visits,
    method: string,
    params: object | undefined,
    options: SentOptions,
    trips: Trips,
  ): Promise<object> {
    const send = (): Promise<object> => this.exchange(method, params, options, trips);
    try {
      return await send();
    } catch (error) {
      const pages = requiredUrlElicitations(error);
      if (pages === undefined) {
        throw error;
      }
      return this.#inputs.run(options, (signal) => {
        const open = (page: ElicitRequestURLParams): Promise<never> =>
          this.#answer(page.elicitationId ?? "", "elicitation/create", page, signal, trips.id);
        const { clock, limits } = this.#definition;
        const blocked = { method, error, pages, visits, limits, clock, signal, open, send };
        return resuming.use(({ resumeAfterPages }) => resumeAfterPages(blocked));
      });
    }
  }

  /** Handles an input request in a result by this client's handlers. */
  async #answer(
    id: string,
    method: string,
    params: object | undefined,
    signal: AbortSignal,
    relatedTo?: RequestId,
  ): Promise<never> {
    const extra = { relatedTo };
    return this.#agreed.receive(
      new LiveClientRequest(this.#session, { id, method, params, signal, extra }),
    ) as never;
  }

  /** Makes cached results stale if a notification invalidates them. */
  forgetStale(notification: string, params: Readonly<Record<string, unknown>>): void {
    const row = this.rules.methods[notification];
    if (row !== undefined) {
      this.#cache?.notified(row, params);
    }
  }

  #checkResult(method: string, result: unknown): object {
    return checkResult(method, result, this.#session, this.#definition);
  }
}
