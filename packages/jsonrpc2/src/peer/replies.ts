import { invalid } from "../codec/invalid.ts";
import { ErrorCode, isLocalError } from "../error.ts";
import type { ErrorObject, Malformed, Outgoing, Request, RequestId, Response } from "../message.ts";
import type { Connection } from "../transport.ts";
import { writeAccepted } from "../write-accepted.ts";
import type { BatchReply } from "./batch.ts";
import type { PeerEvents } from "./events.ts";
import { reportUnsent, runHook } from "./hooks.ts";
import type { Inbox } from "./inbox.ts";
import type { PeerOptions } from "./options.ts";
import type { Outbox } from "./outbox.ts";
import type { RequestScope } from "./scope.ts";
import { inPlaceOf, isSerializable, withoutPayload } from "./unserializable.ts";

/**
 * Maximum number of error responses that the transport has not accepted yet. Above it, reading
 * stops: a peer that sends invalid input and does not read the responses is not read any further.
 */
const maxRefusals = 64;

/** Sends the responses to inbound requests, separately or collected for their batch. */
export class Replies {
  readonly #connection: Connection;
  readonly #outbox: Outbox;
  readonly #options: PeerOptions;
  readonly #events: PeerEvents;
  #refusals = 0;

  constructor(connection: Connection, outbox: Outbox, options: PeerOptions, events: PeerEvents) {
    this.#connection = connection;
    this.#outbox = outbox;
    this.#options = options;
    this.#events = events;
  }

  /** True while no further refusal should be provoked. */
  get congested(): boolean {
    return this.#refusals >= maxRefusals;
  }

  /**
   * Sends the response to a handled request. A result that JSON cannot represent, or that exceeds a
   * limit of the transport, becomes `-32603`.
   */
  answer(scope: RequestScope, response: Response, isReplacement = false): void {
    scope.end();
    if (scope.batch !== undefined) {
      scope.batch.add(response);
      scope.batch.done();
      this.#events.onAnswered(scope);
      return;
    }
    const written = this.#outbox.write(response);
    if (written === writeAccepted) {
      this.#events.onAnswered(scope);
      return;
    }
    written.then(
      () => this.#events.onAnswered(scope),
      (error: unknown) => {
        this.#events.onWriteError(error);
        const offered = reportUnsent(this.#options, scope, response, error);
        const instead = (isReplacement ? undefined : offered) ?? inPlaceOf(response, error);
        if (instead === undefined) {
          this.#events.onAnswered(scope);
        } else {
          this.answer(scope, instead, true);
        }
      },
    );
  }

  /**
   * Sends the error for input that was not handled, unless the user of the peer disables it. `id`
   * is `null` if it could not be read, or would settle another request.
   */
  refuse(error: ErrorObject, id: RequestId | null, batch?: BatchReply): void {
    if (id === null && this.#connection.answersUnidentified === false) {
      return;
    }
    if (runHook(this.#options, () => this.#options.answerRefused?.()) === false) {
      return;
    }
    const response: Response = { jsonrpc: "2.0", id, error };
    if (batch === undefined) {
      this.#send(response);
    } else {
      batch.add(response);
    }
  }

  /** Sends an error response without an id, for input that is not a valid request. */
  refuseInvalid(detail: string, batch?: BatchReply): void {
    this.refuse(invalid(detail).malformed, null, batch);
  }

  /**
   * Refuses input that is not a message. A malformed response rejects the call that waits for it.
   */
  refuseMalformed(input: Malformed, inbox: Inbox, batch?: BatchReply): void {
    const { id, malformed: error } = input;
    const isSettled = (input.response ?? input.bare) === true && this.#outbox.settleMalformed(input);
    if (!isSettled && input.response !== true) {
      // With the ID of a request in flight, the response would settle that request.
      this.refuse(error, id === undefined || inbox.has(id) ? null : id, batch);
    }
  }

  /** Rejects a request that cannot run now. */
  refuseRequest(message: string, { id }: Request, batch?: BatchReply): void {
    this.refuse({ code: ErrorCode.InternalError, message }, id, batch);
  }

  /** Sends the responses to a whole batch. */
  sendBatch(responses: readonly Response[]): void {
    this.#send(responses, (error) => {
      const instead = isLocalError(error, "NOT_SERIALIZABLE")
        ? responses.map((response) => (isSerializable(response) ? response : withoutPayload(response)))
        : responses.map((response) => inPlaceOf(response, error) ?? response);
      if (instead.some((response, i) => response !== responses[i])) {
        this.#send(instead);
      }
    });
  }

  #send(message: Outgoing, onRejected?: (error: unknown) => void): void {
    this.#refusals++;
    const settled = (): void => {
      this.#refusals--;
      this.#events.onRoom();
    };
    this.#outbox.write(message).then(settled, (error: unknown) => {
      settled();
      this.#failed(error);
      onRejected?.(error);
    });
  }

  /** Reports a failed write of a response, because no caller waits for it. */
  #failed(error: unknown): void {
    this.#events.onWriteError(error);
    this.#events.onError(error);
  }
}
