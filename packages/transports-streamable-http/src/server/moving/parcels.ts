import { isRecord } from "@tenon/jsonrpc2/transport";

/** A part of a string that exceeds the limit of the bus. */
interface Part {
  readonly kind: "part";
  /** Identifies the whole string. */
  readonly parcel: string;
  readonly isLast: boolean;
  readonly text: string;
}

/**
 * Maximum length of a part, in UTF-16 code units. A bus takes more than twice as many, because the
 * quotes of JSON in JSON are escaped.
 */
const maxPart = 400_000;
/** Maximum number of incomplete strings. The oldest are dropped first. */
const maxOpen = 32;

/** Splits a string, unless it fits into one message. */
export function partsOf(text: string): readonly string[] {
  if (text.length <= maxPart) {
    return [text];
  }
  const parcel = crypto.randomUUID();
  const parts: string[] = [];
  for (let start = 0; start < text.length; start += maxPart) {
    const isLast = start + maxPart >= text.length;
    const part: Part = { kind: "part", parcel, isLast, text: text.slice(start, start + maxPart) };
    parts.push(JSON.stringify(part));
  }
  return parts;
}

/** Joins the parts of strings. The parts of one string arrive in their order. */
export class Parcels {
  readonly #open = new Map<string, { readonly texts: string[]; length: number }>();
  readonly #maxLength: number;

  /** @param maxLength - Maximum length of a string. */
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /**
   * Adds a part.
   *
   * @returns The whole string; `"more"` if parts are missing; `undefined` if the part is not valid.
   */
  take(message: unknown): { readonly text: string } | "more" | undefined {
    if (!isRecord(message)) {
      return undefined;
    }
    const { parcel, isLast, text } = message as Partial<Part>;
    if (typeof parcel !== "string" || typeof text !== "string") {
      return undefined;
    }
    const known = this.#open.get(parcel) ?? { texts: [], length: 0 };
    this.#open.delete(parcel);
    known.texts.push(text);
    known.length += text.length;
    if (known.length > this.#maxLength) {
      return undefined;
    }
    if (isLast === true) {
      return { text: known.texts.join("") };
    }
    this.#open.set(parcel, known);
    const [oldest] = this.#open.keys();
    if (this.#open.size > maxOpen && oldest !== undefined) {
      this.#open.delete(oldest);
    }
    return "more";
  }
}
