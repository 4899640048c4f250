import { anySignal, isRecord, reasonOf } from "@tenon/base";
import { isHttpError, placeOf, statusError, type Delivered, type WireResponse } from "@tenon/http/client";
import { connectionClosed, type Message, type Request } from "@tenon/jsonrpc2/core";
import { writeAccepted } from "@tenon/jsonrpc2/transport";
import { isRepeatable } from "@tenon/protocol";

import { attempt } from "../shared/attempt.ts";
import { HeaderName } from "../shared/names.ts";
import type { ClientContext } from "./context.ts";
import { SessionLostError } from "./error.ts";
import { LegacySession } from "./legacy-session.ts";
import { listen, type ListenerOwner } from "./listener.ts";
import type { ListeningState } from "./options.ts";
import { OneWay } from "./outgoing.ts";
import { askPrivately, endSession, reopen } from "./reopen.ts";
import { legacyHeaders } from "./request-headers.ts";
import type { Sending } from "./sending.ts";
import { StreamRefusals } from "./stream-refusals.ts";

/**
 * How long the end of the handshake waits for the listening stream, so that nothing sent right
 * after it is missed, in milliseconds.
 */
const listenMs = 500;

/** Time in which a server must respond to a check of the session, in milliseconds. */
const checkMs = 10_000;
/**
 * How long it may take to open a session in place of a lost one, in milliseconds: requests wait
 * for it.
 */
const reopenMs = 30_000;

const no: Promise<boolean> = Promise.resolve(false);

/**
 * The legacy part of a connection: the session, its standalone stream, and a new session when the
 * server has dropped the old one.
 */
export class LegacyLink {
  readonly #context: ClientContext;
  readonly #listener: ListenerOwner;
  readonly #refusals = new StreamRefusals();
  readonly #outgoing: OneWay;
  #session: LegacySession | undefined;
  #restoring: Promise<void> | undefined;
  #checking: Promise<boolean> | undefined;
  #listening: AbortController | undefined;
  /** Whether the standalone stream is open. */
  #isListening = false;
  /** Attempts to reopen the standalone stream, since it was lost. */
  #attempts = 0;
  #hasListened = false;
  /** Whether the stream was lost by an error since it was open. */
  #isBroken = false;
  /** Whether messages may have been missed since the stream was open. */
  #isMissing = false;
  /** Sends the requests of a session, except those whose responses the transport reads. */
  #sending: { readonly session: LegacySession | undefined; readonly sending: Sending } | undefined;

  constructor(context: ClientContext) {
    this.#context = context;
    this.#outgoing = new OneWay(context);
    const { url, http, auth, clock, reconnect, maxMessageBytes, options } = context;
    this.#listener = {
      url,
      http,
      auth,
      clock,
      reconnect,
      maxEventLength: maxMessageBytes,
      refusals: this.#refusals,
      headers: () => this.#session?.headers,
      receive: (data) => {
        const incoming = context.decode(data);
        return incoming instanceof Promise
          ? incoming.then((decoded) => context.receive(decoded))
          : context.receive(incoming);
      },
      onState: (state, resumes = false) => {
        this.#isListening = state.state === "open";
        this.#noteGap(state, resumes);
        this.#tell("onListening", () => options.onListening?.(state));
      },
      onMissed: () => {
        this.#isMissing = true;
        context.warn(
          `${placeOf(url)} could not resume the stream of its session: messages may have been missed.`,
        );
      },
      onEnded: (status) => void this.#listeningEnded(status),
    };
  }

  get sessionId(): string | undefined {
    return this.#session?.id;
  }

  /** True after a handshake. */
  get open(): boolean {
    return this.#session !== undefined;
  }

  /** Sends a message without a response: a response is sent until the server has accepted it. */
  tell(message: Message | readonly Message[]): Promise<void> {
    return this.#outgoing.send(message, legacyHeaders(this.#session));
  }

  /** Opens the listening stream; waits for it a little. @source R-354 */
  async listen(): Promise<void> {
    this.#listening?.abort();
    if (this.#context.own.ended) {
      // The connection was closed during the wait, so the stream would never end.
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
    const { calls, era } = this.#context;
    const session = new LegacySession(request);
    let id: string | undefined;
    const attempted = calls.run(request, false, {
      headers: legacyHeaders(undefined),
      resumption: () => (id === undefined ? undefined : { [HeaderName.sessionId]: id }),
      onResponse: (response) => {
        id = response.status === 200 ? response.header(HeaderName.sessionId) : undefined;
      },
      onAnswer: (answer) => {
        if ("result" in answer) {
          session.opened(id, answer.result);
          this.#session = session;
          era.remember();
        } else {
          era.forget();
        }
        return answer;
      },
    });
    try {
      const refused = await attempted;
      if (refused !== undefined) {
        era.forget();
      }
      return refused;
    } catch (error) {
      if (isHttpError(error) && error.status !== undefined) {
        era.forget();
      }
      throw error;
    }
  }

  /** Sends a request. @throws `SessionLostError`, or the error that prevented a response. */
  ask(request: Request): Promise<void> {
    return this.#ask(request, true);
  }

  /** Ends the session. Does nothing more if the server does not respond. @source R-366 */
  async close(reason: unknown): Promise<void> {
    this.#listening?.abort(connectionClosed(undefined, { cause: reason }));
    // A session that is being opened ends by itself: see `reopen`.
    await this.#restoring?.catch(() => {});
    if (this.#session !== undefined) {
      await endSession(this.#context, this.#session);
    }
  }

  #ask(request: Request, mayRepeat: boolean): Promise<void> {
    const restoring = this.#restoring;
    return restoring === undefined
      ? this.#send(request, mayRepeat)
      : restoring.catch(() => {}).then(() => this.#send(request, mayRepeat));
  }

  #send(request: Request, mayRepeat: boolean): Promise<void> {
    const session = this.#session;
    const { count } = this.#refusals;
    return this.#context.calls.run(request, false, this.#sendingOf(request, session)).then(
      (refused) => {
        if (refused !== undefined) {
          return this.#refused(refused, session, request, mayRepeat);
        }
        this.#refusals.accept(count);
        session?.note(request);
        return undefined;
      },
      (error: unknown) => {
        // The stream of the response cannot be resumed because its session has ended.
        if (session?.id !== undefined && isHttpError(error, "STATUS") && error.status === 404) {
          return this.#afterLoss(session, request, { mayRepeat, delivered: "maybe" });
        }
        throw error;
      },
    );
  }

  async #refused(
    refused: WireResponse,
    session: LegacySession | undefined,
    request: Request,
    mayRepeat: boolean,
  ): Promise<void> {
    if (refused.status === 202 && this.#isListening) {
      // The server responds on the standalone stream, although it must not.
      refused.discard();
    } else if (session?.id !== undefined && (await this.#isAboutSession(session, refused.status))) {
      refused.discard();
      await this.#afterLoss(session, request, { mayRepeat, delivered: "no" });
    } else {
      throw await statusError(refused, this.#context.url);
    }
  }

  #sendingOf({ method }: Request, session: LegacySession | undefined): Sending {
    if (this.#sending === undefined || this.#sending.session !== session) {
      const inSession = session?.id !== undefined;
      const sending = {
        headers: legacyHeaders(session),
        isGone: inSession ? () => this.#isGone(session) : undefined,
        resumption: () => (inSession ? session.headers : undefined),
        onQuestion: (question: Request, asked: Request) => this.#outgoing.asked(question.id, asked.id),
      };
      this.#sending = { session, sending };
    }
    const { sending } = this.#sending;
    const { tools } = this.#context;
    return method === "tools/list"
      ? {
          ...sending,
          onAnswer: (answer) =>
            "result" in answer ? { ...answer, result: tools.note(answer.result, false) } : answer,
        }
      : sending;
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
    // A request that was not delivered has not run.
    const harmless =
      delivered === "no" ||
      isRepeatable(request) ||
      (request.method === "tools/call" && this.#context.tools.isRepeatable(name));
    if (!mayRepeat || !harmless) {
      throw new SessionLostError(request.method, delivered);
    }
    await this.#ask(request, false);
  }

  /**
   * Whether an error response without a request ID means that the session has expired. 404 does;
   * many servers send 400 instead, which can also have other reasons.
   *
   * @source T-40, T-41
   */
  #isAboutSession(session: LegacySession, status: number): Promise<boolean> {
    return status === 404 ? Promise.resolve(true) : status === 400 ? this.#isGone(session) : no;
  }

  /** Sends `ping` to check whether the server knows the session, once for all pending checks. */
  #isGone(session: LegacySession): Promise<boolean> {
    if (session.lost || session !== this.#session) {
      return Promise.resolve(true);
    }
    this.#checking ??= this.#check(session).finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #check(session: LegacySession): Promise<boolean> {
    const { own } = this.#context;
    try {
      await own.run((signal) =>
        askPrivately(this.#context, { method: "ping" }, session.headers, within(signal, checkMs)),
      );
    } catch (error) {
      session.lost = isHttpError(error, "STATUS") && (error.status === 404 || error.status === 400);
    }
    return session.lost;
  }

  /** One new session for all requests whose session has expired. */
  #restore(lost: LegacySession): Promise<void> {
    lost.lost = true;
    if (this.#session !== lost) {
      return this.#restoring ?? writeAccepted;
    }
    this.#restoring ??= this.#replace(lost).finally(() => {
      this.#restoring = undefined;
    });
    return this.#restoring;
  }

  async #replace(lost: LegacySession): Promise<void> {
    const { own, options } = this.#context;
    this.#session = await own.run((signal) => reopen(this.#context, lost, within(signal, reopenMs)));
    this.#attempts = 0;
    this.#isBroken = false;
    this.#isMissing = false;
    await this.listen();
    this.#mayHaveChanged(true);
    this.#tell("onSessionRestored", () => options.onSessionRestored?.());
  }

  /**
   * After a gap in the standalone stream, lists and resources may have changed without a
   * notification. Lists may also have changed if the server cannot be reached: it may have ended.
   * Many servers end their streams regularly: this does not count, nor does a stream that is
   * resumed.
   */
  #noteGap(state: ListeningState, resumes: boolean): void {
    if (state.state === "waiting") {
      this.#attempts++;
      this.#isBroken ||= state.error !== undefined;
    }
    const mayMiss = this.#isMissing || this.#attempts > 1 || (this.#isBroken && !resumes);
    const isBack = state.state === "open" && mayMiss;
    const isGone = state.state === "waiting" && this.#attempts === 2 && this.#hasListened;
    if (isBack || isGone) {
      this.#mayHaveChanged(isBack);
    }
    if (state.state === "open") {
      this.#hasListened = true;
      this.#attempts = 0;
      this.#isBroken = false;
      this.#isMissing = false;
    }
  }

  /** Receives the notifications that the server may not have been able to send. */
  #mayHaveChanged(isBack: boolean): void {
    for (const method of this.#session?.announced ?? []) {
      void this.#context.receive({ jsonrpc: "2.0", method });
    }
    // While the server cannot be reached, reading resources would fail.
    for (const uri of (isBack && this.#session?.watched()) || []) {
      void this.#context.receive({
        jsonrpc: "2.0",
        method: "notifications/resources/updated",
        params: { uri },
      });
    }
  }

  #tell(name: string, callback: () => void): void {
    const { warn } = this.#context;
    attempt(callback, (error) => warn(`The callback ${name} failed: ${reasonOf(error)}`));
  }

  /**
   * A server that refuses its stream may have lost the session; without requests nothing else
   * would tell.
   */
  async #listeningEnded(status: number): Promise<void> {
    const session = this.#session;
    try {
      if (session?.id !== undefined && (await this.#isAboutSession(session, status))) {
        await this.#restore(session);
      }
    } catch {
      // The next request detects and reports it.
    }
  }
}

/** A signal that also fires after a time. */
function within(signal: AbortSignal, ms: number): AbortSignal {
  return anySignal([signal, AbortSignal.timeout(ms)]);
}
