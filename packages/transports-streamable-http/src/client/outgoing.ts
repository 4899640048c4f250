import { reasonOf, sleep } from "@tenon/base";
import { HttpError, untilAccepted, type HeadersLike } from "@tenon/http/client";
import type { Message, RequestId } from "@tenon/jsonrpc2/core";

import type { ClientContext } from "./context.ts";
import { sendOneWay } from "./one-way.ts";
import { retryDelay } from "./retry-delay.ts";

/** Maximum number of requests of the server whose calls are remembered. */
const maxAsked = 1024;

/** Sends the notifications and responses of a legacy session. */
export class OneWay {
  readonly #context: ClientContext;
  /** The calls on whose streams requests of the server have come, by the ID of the request. */
  readonly #calls = new Map<RequestId, RequestId>();

  constructor(context: ClientContext) {
    this.#context = context;
  }

  /** The server has sent a request on the stream of a call. */
  asked(id: RequestId, call: RequestId): void {
    this.#calls.set(id, call);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > maxAsked && oldest !== undefined) {
      this.#calls.delete(oldest);
    }
  }

  /**
   * Sends messages. Responses are sent until the server has accepted them: it would wait for them.
   *
   * @throws `HttpError` if they were not accepted. Then the calls that the responses belong to are
   *   cancelled.
   */
  send(message: Message | readonly Message[], headers: HeadersLike): Promise<void> {
    const { own, reconnect } = this.#context;
    const messages = Array.isArray(message) ? (message as readonly Message[]) : [message as Message];
    return own.run(async (signal) => {
      const send = (): Promise<unknown> => sendOneWay(this.#context, message, headers, signal);
      if (messages.some((each) => "method" in each)) {
        await send();
        return;
      }
      try {
        await untilAccepted(send, async (failures, asked, error) => {
          if (failures > reconnect.maxRetries) {
            throw error;
          }
          await sleep(retryDelay(failures - 1, reconnect, asked), { signal, keepsAlive: true });
        });
      } catch (error) {
        messages.forEach((each) => this.#undeliverable(each, headers, error));
        throw error;
      } finally {
        messages.forEach((each) => this.#calls.delete((each as { readonly id: RequestId }).id));
      }
    });
  }

  /** Cancels the call of an undeliverable response, for which the server would wait. */
  #undeliverable(message: Message, headers: HeadersLike, cause: unknown): void {
    const call = this.#calls.get((message as { readonly id: RequestId }).id);
    if (call === undefined) {
      return;
    }
    const { calls, own } = this.#context;
    const error = new HttpError(
      "NETWORK",
      `The response to a request of the server could not be delivered, so the call was cancelled: ${reasonOf(cause)}`,
      { cause },
    );
    calls.fail(call, error);
    const params = { requestId: call, reason: "The response to a request could not be delivered." };
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params } as const;
    own.run((signal) => sendOneWay(this.#context, cancelled, headers, signal)).catch(() => undefined);
  }
}
