import { printable } from "@tenon/base";
import type { Message, Request, Unexpected } from "@tenon/jsonrpc2";

import { McpError } from "../../base/error.ts";

const maxQuoted = 200;

/**
 * Reports messages of a server that nothing in the client waits for: once per kind, because a
 * server can send any number of them.
 */
export class UnexpectedMessages {
  readonly #onError: (error: unknown) => void;
  readonly #reported = new Set<string>();
  #lastId = 0;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /**
   * Makes the next request id. Responses with an id that was used before are late, as after a
   * timeout, and are not reported.
   */
  nextId(): number {
    return ++this.#lastId;
  }

  /**
   * A message that the peer dropped or rejected. Progress of a request that has just ended is
   * ordinary.
   */
  dropped({ kind, message, error }: Unexpected): void {
    if (kind === "unrelated-notification" || (kind === "response" && this.#isLate(message))) {
      return;
    }
    // The message itself may be large.
    const { id, method } = (message ?? {}) as Partial<Request>;
    const which = [method, id].filter((part) => part !== undefined).map(quoted);
    const told = error ?? (message !== undefined && "error" in message ? message.error : undefined);
    const why = told === undefined ? [] : [printable(told.message.slice(0, maxQuoted))];
    this.#report(kind, ["The server sent " + described[kind], ...which, ...why].join(": "));
  }

  /** A request that this client does not handle. */
  refused(method: string): void {
    this.#report(
      "request",
      `The server sent the request ${quoted(method)}, which this client does not handle`,
    );
  }

  #isLate(message: Message | undefined): boolean {
    const id = message !== undefined && "id" in message ? message.id : undefined;
    // Some servers turn numbers into strings.
    const number = typeof id === "string" ? Number(id) : id;
    return typeof number === "number" && number >= 1 && number <= this.#lastId;
  }

  #report(kind: string, text: string): void {
    if (!this.#reported.has(kind)) {
      this.#reported.add(kind);
      this.#onError(new McpError("UNEXPECTED_MESSAGE", `${text}. Reported once per session.`));
    }
  }
}

function quoted(part: string | number | null | undefined): string {
  return JSON.stringify(typeof part === "string" ? part.slice(0, maxQuoted) : (part ?? null));
}

const described: Readonly<Record<Exclude<Unexpected["kind"], "unrelated-notification">, string>> = {
  response: "a response to a request that was never sent",
  "duplicate-request": "a request whose id is in use",
  malformed: "input that is not a message",
  overflow: "too many messages at a time (maxInFlight)",
};
