import {
  isHttpError,
  statusError,
  type Delivered,
  type HeadersLike,
  type WireResponse,
} from "@tenon/http/client";
import { accepted, connectionClosed, type Message, type Request } from "@tenon/jsonrpc2";

import { attempt, reasonOf } from "../shared/attempt.ts";
import { isRecord } from "../shared/meta.ts";
import { HeaderName, MediaType } from "../shared/names.ts";
import type { ClientContext } from "./context.ts";
import { SessionLostError } from "./error.ts";
import { LegacySession } from "./legacy-session.ts";
import { listen, type ListenerOwner } from "./listener.ts";
import { reopen } from "./reopen.ts";
import { isRepeatable } from "./repeatable.ts";
import { legacyHeaders } from "./request-headers.ts";
import { sendOneWay } from "./sender.ts";

/** How long a client that goes waits for the server to forget its session, in milliseconds. */
const farewellMs = 1000;
/** How long the end of the handshake waits for the listening stream, so that nothing sent right after it is missed, in milliseconds. */
const listenMs = 500;

/** What a connection does in the legacy era: the session, the stream that belongs to it, and a new one when the server has lost it. */
export class LegacyLink {
  readonly #context: ClientContext;
  readonly #listener: ListenerOwner;
  #session: LegacySession | undefined;
  #restoring: Promise<void> | undefined;
  #listening: AbortController | undefined;

  constructor(context: ClientContext) {
    this.#context = context;
    const { url, reconnect, maxResponseBytes, options } = context;
    this.#listener = {
      url,
      reconnect,
      maxEventLength: maxResponseBytes,
      get: (lastEventId, signal) => this.#get(lastEventId, signal),
      receive: (data) => context.receive(context.decode(data)),
      onState: (state) => this.#tell("onListening", () => options.onListening?.(state)),
      onMissed: () =>
        context.warn(
          `${url.origin} could not resume the stream of its session: messages may have been missed.`,
        ),
      onLost: () => this.#lost(),
    };
  }

  get sessionId(): string | undefined {
    return this.#session?.id;
  }

  /** True after a handshake. */
  get open(): boolean {
    return this.#session !== undefined;
  }

  /** Sends what has no answer. */
  async tell(message: Message | readonly Message[]): Promise<void> {
    const headers = legacyHeaders(this.#session);
    await this.#context.own.run((signal) => sendOneWay(this.#context, message, headers, signal));
  }

  /** Opens the listening stream; waits for it a little. @source R-354 */
  async listen(): Promise<void> {
    this.#listening?.abort();
    if (this.#context.own.ended) {
      // Closed meanwhile: nobody would end this stream.
      return;
    }
    const controller = new AbortController();
    this.#listening = controller;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, listenMs);
      void listen(this.#listener, controller.signal, () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** The handshake. @returns The refusal of a server that did not understand it. */
  async initialize(request: Request): Promise<WireResponse | undefined> {
    const { calls, eras, url } = this.#context;
    const session = new LegacySession(request);
    let id: string | undefined;
    const refused = await calls.run(request, false, {
      headers: legacyHeaders(undefined),
      resumption: () => (id === undefined ? undefined : { [HeaderName.sessionId]: id }),
      onResponse: (response) => {
        id = response.status === 200 ? response.header(HeaderName.sessionId) : undefined;
      },
      onAnswer: (answer) => {
        if ("result" in answer) {
          session.opened(id, answer.result);
          this.#session = session;
          eras?.set(url.origin, "legacy");
        } else {
          eras?.delete(url.origin);
        }
        return answer;
      },
    });
    if (refused !== undefined) {
      eras?.delete(url.origin);
    }
    return refused;
  }

  /** Sends a request. @throws `SessionLostError`, or what else kept it from being answered. */
  ask(request: Request): Promise<void> {
    return this.#ask(request, true);
  }

  /** Ends the session. A server that does not answer is left alone. @source R-366 */
  async close(reason: unknown): Promise<void> {
    this.#listening?.abort(connectionClosed(reason));
    const session = this.#session;
    if (session?.id === undefined) {
      return;
    }
    const { http, url } = this.#context;
    try {
      const signal = AbortSignal.timeout(farewellMs);
      const response = await http({ url, method: "DELETE", headers: session.headers, signal });
      response.discard();
    } catch {
      // The session ends by itself after a while.
    }
  }

  async #ask(request: Request, mayRepeat: boolean): Promise<void> {
    await this.#restoring?.catch(() => {});
    const session = this.#session;
    const refused = await this.#send(request, session);
    if (refused === undefined) {
      session?.note(request);
      return;
    }
    if (refused !== "lost" && (refused.status !== 404 || session?.id === undefined)) {
      throw await statusError(refused, this.#context.url);
    }
    if (refused !== "lost") {
      refused.discard();
    }
    await this.#afterLoss(session as LegacySession, request, {
      mayRepeat,
      delivered: refused === "lost" ? "maybe" : "no",
    });
  }

  async #send(
    request: Request,
    session: LegacySession | undefined,
  ): Promise<WireResponse | "lost" | undefined> {
    const { calls, tools } = this.#context;
    const inSession = session?.id !== undefined;
    try {
      return await calls.run(request, false, {
        headers: legacyHeaders(session),
        resumption: () => (inSession ? session.headers : undefined),
        onAnswer: (answer) =>
          request.method === "tools/list" && "result" in answer
            ? { ...answer, result: tools.note(answer.result, false) }
            : answer,
      });
    } catch (error) {
      // The stream of the answer cannot be resumed because its session is gone.
      if (inSession && isHttpError(error, "STATUS") && error.status === 404) {
        return "lost";
      }
      throw error;
    }
  }

  /** Opens a new session, and sends the request again if that does no harm. @source R-365 */
  async #afterLoss(
    session: LegacySession,
    request: Request,
    { mayRepeat, delivered }: { readonly mayRepeat: boolean; readonly delivered: Delivered },
  ): Promise<void> {
    try {
      await this.#restore(session);
    } catch (cause) {
      throw new SessionLostError(request.method, delivered, { cause });
    }
    const name = isRecord(request.params) ? request.params["name"] : undefined;
    const harmless =
      isRepeatable(request.method) ||
      (request.method === "tools/call" && this.#context.tools.isRepeatable(name));
    if (!mayRepeat || !harmless) {
      throw new SessionLostError(request.method, delivered);
    }
    await this.#ask(request, false);
  }

  /** One new session for all requests that found the old one gone. */
  #restore(lost: LegacySession): Promise<void> {
    if (this.#session !== lost) {
      return this.#restoring ?? accepted;
    }
    this.#restoring ??= this.#replace(lost).finally(() => {
      this.#restoring = undefined;
    });
    return this.#restoring;
  }

  async #replace(lost: LegacySession): Promise<void> {
    const { own, options } = this.#context;
    this.#session = await own.run((signal) => reopen(this.#context, lost, signal));
    await this.listen();
    this.#tell("onSessionRestored", () => options.onSessionRestored?.());
  }

  #tell(name: string, callback: () => void): void {
    const { warn } = this.#context;
    attempt(callback, (error) => warn(`The callback ${name} failed: ${reasonOf(error)}`));
  }

  #lost(): void {
    const session = this.#session;
    if (session?.id !== undefined) {
      this.#restore(session).catch(() => {});
    }
  }

  #get(lastEventId: string | undefined, signal: AbortSignal): Promise<WireResponse> {
    const { http, url } = this.#context;
    const headers: HeadersLike = {
      ...this.#session?.headers,
      accept: MediaType.events,
      ...(lastEventId === undefined ? {} : { [HeaderName.lastEventId]: lastEventId }),
    };
    return http({ url, method: "GET", headers, signal });
  }
}
