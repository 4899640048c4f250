import { ErrorCode, isMalformed, isResponse, type Incoming, type RequestId } from "@tenon/jsonrpc2/core";
import { MessageQueue } from "@tenon/jsonrpc2/transport";

/**
 * Time to wait for a separate response, in milliseconds, because some programs log the messages
 * that they send.
 */
const graceMs = 1000;
/** Maximum number of calls that are watched at a time. */
const maxMissing = 64;

/**
 * Handles output that is not a message. A response behind other text on its line is not accepted,
 * because the text could contain content of an untrusted author; but the call that it seems to
 * belong to fails after a second, unless its response also arrives on its own line.
 */
export class StrayAnswers {
  readonly #next: () => Promise<Incoming | undefined>;
  readonly #describe: () => string | undefined;
  readonly #missing = new Map<RequestId, NodeJS.Timeout>();
  /** Messages for `read`. Some come from a timer while the child process sends nothing. */
  readonly #queue = new MessageQueue();
  readonly #take: (incoming: Incoming | undefined) => void;
  readonly #fail: (error: unknown) => void;
  #reading = false;
  /** Whether the program has sent a message. */
  heard = false;

  /** @param describe - Names the text that was printed. */
  constructor(next: () => Promise<Incoming | undefined>, describe: () => string | undefined) {
    this.#next = next;
    this.#describe = describe;
    this.#take = (incoming) => {
      this.#reading = false;
      if (incoming === undefined) {
        this.#queue.end();
      } else {
        this.#look(incoming);
        void this.#queue.put(incoming);
      }
    };
    this.#fail = (error) => this.#queue.end({ error });
  }

  read(): Promise<Incoming | undefined> {
    if (!this.#reading && this.#queue.length === 0) {
      this.#reading = true;
      this.#next().then(this.#take, this.#fail);
    }
    return this.#queue.read();
  }

  end(): void {
    for (const timer of this.#missing.values()) {
      clearTimeout(timer);
    }
    this.#missing.clear();
    this.#queue.end();
  }

  #look(incoming: Incoming): void {
    if (isMalformed(incoming)) {
      if (incoming.stray !== undefined) {
        this.#expect(incoming.stray);
      }
      return;
    }
    this.heard = true;
    if (this.#missing.size > 0 && isResponse(incoming)) {
      this.#forget(incoming.id as RequestId);
    }
  }

  #expect(id: RequestId): void {
    if (this.#missing.has(id) || this.#missing.size >= maxMissing) {
      return;
    }
    const timer = setTimeout(() => {
      this.#missing.delete(id);
      const message = `The response follows other text on its line. ${this.#describe() ?? ""}`;
      void this.#queue.put({ malformed: { code: ErrorCode.ParseError, message }, id, response: true });
    }, graceMs).unref();
    this.#missing.set(id, timer);
  }

  #forget(id: RequestId): void {
    clearTimeout(this.#missing.get(id));
    this.#missing.delete(id);
  }
}
