/** One event as it was received. */
export interface ReceivedEvent {
  /** The name; `undefined` means `message`. */
  readonly event?: string | undefined;
  readonly id?: string | undefined;
  readonly data: string;
}

const lineFeed = 0x0a;

/**
 * Takes an event stream apart as it arrives, in time and memory linear in it, whatever it consists of. An event without data is given if it has an id: it says
 * how far the stream has come.
 *
 * @source WHATWG HTML §9.2.6
 */
export class EventParser {
  readonly #onEvent: (event: ReceivedEvent) => void;
  readonly #onRetry: ((ms: number) => void) | undefined;
  /** The beginning of a line whose end has not come yet. */
  #rest = "";
  #followsReturn = false;
  #data: string | undefined;
  #event: string | undefined;
  #id: string | undefined;

  constructor(onEvent: (event: ReceivedEvent) => void, onRetry?: (ms: number) => void) {
    this.#onEvent = onEvent;
    this.#onRetry = onRetry;
  }

  /** How much of an unfinished event is kept, in UTF-16 code units. */
  get pending(): number {
    const { length } = this.#rest;
    return length + (this.#data?.length ?? 0) + (this.#event?.length ?? 0) + (this.#id?.length ?? 0);
  }

  /** Takes the next piece of text. */
  feed(text: string): void {
    if (text === "") {
      return;
    }
    // A CR at the end of one piece and an LF at the beginning of the next are one line end.
    let at = this.#followsReturn && text.charCodeAt(0) === lineFeed ? 1 : 0;
    this.#followsReturn = text.endsWith("\r");
    let feed = find(text, "\n", at);
    let carriage = find(text, "\r", at);
    while (feed < Infinity || carriage < Infinity) {
      const end = Math.min(feed, carriage);
      const line = text.slice(at, end);
      this.#take(this.#rest === "" ? line : this.#rest + line);
      this.#rest = "";
      at = carriage + 1 === feed ? feed + 1 : end + 1;
      if (feed < at) {
        feed = find(text, "\n", at);
      }
      if (carriage < at) {
        carriage = find(text, "\r", at);
      }
    }
    this.#rest += text.slice(at);
  }

  #take(line: string): void {
    if (line === "") {
      this.#dispatch();
      return;
    }
    const colon = line.indexOf(":");
    const value = colon < 0 ? "" : line.slice(line.charCodeAt(colon + 1) === 0x20 ? colon + 2 : colon + 1);
    switch (colon < 0 ? line : line.slice(0, colon)) {
      case "data":
        this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
        break;
      case "event":
        this.#event = value === "" ? undefined : value;
        break;
      case "id":
        this.#id = value.includes("\u0000") ? this.#id : value;
        break;
      case "retry":
        if (/^\d+$/.test(value)) {
          this.#onRetry?.(Number(value));
        }
        break;
      default:
      // A comment, or a field that nobody knows.
    }
  }

  #dispatch(): void {
    const data = this.#data;
    const id = this.#id;
    if (data !== undefined || id !== undefined) {
      this.#onEvent({ event: this.#event, id, data: data ?? "" });
    }
    this.#data = undefined;
    this.#event = undefined;
    this.#id = undefined;
  }
}

function find(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? Infinity : found;
}
