/** One event as it was received. */
export interface ReceivedEvent {
  /** The name; `undefined` means `message`. */
  readonly event?: string | undefined;
  readonly id?: string | undefined;
  readonly data: string;
}

const lineFeed = 0x0a;
/**
 * The number of data lines that are joined to one string. A string per line needs many times as
 * much memory as its characters, and may keep the whole received chunk alive.
 */
const blockLines = 1024;

/**
 * Parses an event stream as it arrives, in linear time and memory for any input. An event without
 * data is returned if it has an ID, because the ID marks the position in the stream.
 *
 * @source WHATWG HTML §9.2.6
 */
export class EventParser {
  readonly #onEvent: (event: ReceivedEvent) => void;
  readonly #onRetry: ((ms: number) => void) | undefined;
  readonly #onComment: (() => void) | undefined;
  /** The beginning of a line whose end has not come yet. */
  #rest = "";
  #followsReturn = false;
  /** The first line of the data; most events have no other. */
  #data: string | undefined;
  /** The lines after it: first as joined blocks, then single lines. */
  #blocks: string[] = [];
  #lines: string[] = [];
  /** With the line ends before them. */
  #linesLength = 0;
  #event: string | undefined;
  #id: string | undefined;

  constructor(
    onEvent: (event: ReceivedEvent) => void,
    onRetry?: (ms: number) => void,
    onComment?: () => void,
  ) {
    this.#onEvent = onEvent;
    this.#onRetry = onRetry;
    this.#onComment = onComment;
  }

  /** How much of an unfinished event is kept, in UTF-16 code units. */
  get pending(): number {
    const { length } = this.#rest;
    const data = (this.#data?.length ?? 0) + this.#linesLength;
    return length + data + (this.#event?.length ?? 0) + (this.#id?.length ?? 0);
  }

  /** Parses the next chunk of the stream. */
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
        if (this.#data === undefined) {
          this.#data = value;
        } else {
          this.#addLine(value);
        }
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
      case "":
        if (colon === 0) {
          this.#onComment?.();
        }
        break;
      default:
      // An unknown field.
    }
  }

  #addLine(line: string): void {
    this.#linesLength += line.length + 1;
    if (this.#lines.push(line) === blockLines) {
      this.#blocks.push(this.#lines.join("\n"));
      this.#lines = [];
    }
  }

  #dispatch(): void {
    const data = this.#data;
    const id = this.#id;
    if (data !== undefined || id !== undefined) {
      this.#onEvent({ event: this.#event, id, data: data === undefined ? "" : this.#whole(data) });
    }
    this.#data = undefined;
    this.#event = undefined;
    this.#id = undefined;
  }

  #whole(first: string): string {
    if (this.#linesLength === 0) {
      return first;
    }
    const data = [first, ...this.#blocks, ...this.#lines].join("\n");
    this.#blocks = [];
    this.#lines = [];
    this.#linesLength = 0;
    return data;
  }
}

function find(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? Infinity : found;
}
