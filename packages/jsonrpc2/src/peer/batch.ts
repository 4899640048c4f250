import type { Response } from "../message.ts";

/** Collects the answers to one batch and hands them over together when the last one is in (JSON-RPC 2.0 §6). */
export class BatchReply {
  readonly #responses: Response[] = [];
  readonly #send: (responses: readonly Response[]) => void;
  #open = 1;

  constructor(send: (responses: readonly Response[]) => void) {
    this.#send = send;
  }

  /** Announces an answer that will come, or a request that will end without one. */
  expect(): void {
    this.#open++;
  }

  add(response: Response): void {
    this.#responses.push(response);
  }

  /** Ends one expected answer, or the reading of the batch itself. */
  done(): void {
    this.#open--;
    if (this.#open === 0 && this.#responses.length > 0) {
      this.#send(this.#responses);
    }
  }
}
