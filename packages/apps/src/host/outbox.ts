import { LocalError } from "@tenon/jsonrpc2/core";
import type { CallToolResult } from "@tenon/protocol";

import { hostNotifications } from "../wire/names.ts";

type Send = (method: string, params: object) => void;

/**
 * Notifications about the call of the tool, in the order that views expect. They are kept, for a
 * view that is not ready yet, and for one that starts again.
 */
export class Outbox {
  /** By method: the last partial input or the input, and the outcome. */
  readonly #kept = new Map<string, object>();
  #send: Send | undefined;
  #hasInput = false;
  #hasOutcome = false;

  /** Sends all that is kept, and everything else from now on. */
  open(send: Send): void {
    this.#send = send;
    this.#kept.forEach((params, method) => {
      send(method, params);
    });
  }

  /** Sends nothing until `open` is called again. */
  hold(): void {
    this.#send = undefined;
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
    this.#kept.delete(hostNotifications.partialInput);
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
    this.#kept.set(method, params);
    this.#send?.(method, params);
  }
}
