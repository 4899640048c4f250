import type { Response } from "../message.ts";

/**
 * Collects the responses to one batch and returns them together when the last response is complete
 * (JSON-RPC 2.0 §6).
 */
export class BatchReply {
  readonly #responses: Response[] = [];
  readonly #send: (responses: readonly Response[]) => void;
  #open = 1;

  constructor(send: (responses: readonly Response[]) => void) {
    this.#send = send;
  }

  /** Announces a response, or a request that will end without a response. */
  expect(): void {
    this.#open++;
  }

  add(response: Response): void {
    this.#responses.push(response);
  }

  /** Ends one expected response, or the reading of the batch itself. */
  done(): void {
    this.#open--;
    if (this.#open === 0 && this.#responses.length > 0) {
      this.#send(this.#responses);
    }
  }
}
