import { LocalError } from "@tenon/jsonrpc2";
import type { CallToolResult } from "@tenon/protocol";

import { hostNotifications } from "../wire/names.ts";

type Send = (method: string, params: object) => void;

/**
 * Notifications about the call of the tool, in the order that views expect. Until the view is
 * ready, only the last partial input, the input and the outcome are held.
 */
export class Outbox {
  readonly #held = new Map<string, object>();
  #send: Send | undefined;
  #hasInput = false;
  #hasOutcome = false;

  /** Sends what is held, and everything else from now on. */
  open(send: Send): void {
    this.#send = send;
    this.#held.forEach((params, method) => {
      send(method, params);
    });
    this.#held.clear();
  }

  partialInput(args: object): void {
    if (!this.#hasInput) {
      this.#give(hostNotifications.partialInput, { arguments: args });
    }
  }

  input(args: object): void {
    if (this.#hasInput) {
      throw new LocalError("INVALID_STATE", "The input of the view was sent before; it is sent once.");
    }
    this.#hasInput = true;
    this.#give(hostNotifications.input, { arguments: args });
  }

  result(result: CallToolResult): void {
    if (!this.#hasInput) {
      throw new LocalError("INVALID_STATE", "Send the input of the view before the result.");
    }
    this.#end();
    this.#give(hostNotifications.result, result);
  }

  cancelled(reason: string | undefined): void {
    this.#end();
    this.#give(hostNotifications.cancelled, reason === undefined ? {} : { reason });
  }

  #end(): void {
    if (this.#hasOutcome) {
      throw new LocalError("INVALID_STATE", "The view was sent the result or the cancellation before.");
    }
    this.#hasOutcome = true;
  }

  #give(method: string, params: object): void {
    if (this.#send === undefined) {
      this.#held.set(method, params);
    } else {
      this.#send(method, params);
    }
  }
}
