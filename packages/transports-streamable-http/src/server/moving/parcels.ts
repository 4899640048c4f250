import { isRecord } from "@tenon/base";

/** A part of a string that exceeds the limit of the bus. */
interface Part {
  readonly kind: "part";
  /** Identifies the whole string. */
  readonly parcel: string;
  /** Its place, from 0: a bus may deliver a part twice. */
  readonly index: number;
  readonly isLast: boolean;
  readonly text: string;
}

/**
 * Maximum length of a part, in UTF-16 code units. A bus takes more than twice as many, because the
 * quotes of JSON in JSON are escaped.
 */
const maxPart = 400_000;
/** Maximum number of strings that are known. The oldest are dropped first. */
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
    const part = text.slice(start, start + maxPart);
    const message: Part = { kind: "part", parcel, index: parts.length, isLast, text: part };
    parts.push(JSON.stringify(message));
  }
  return parts;
}

/** A string whose parts arrive. */
interface Parcel {
  texts: string[];
  length: number;
  /** The place of the next part. */
  next: number;
  /** The result of the whole string. */
  outcome?: Promise<boolean>;
}

/** Joins the parts of strings. The parts of a string arrive in order, and may be repeated. */
export class Parcels {
  readonly #known = new Map<string, Parcel>();
  readonly #maxLength: number;

  /** @param maxLength - Maximum length of a string. */
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /**
   * Adds a part.
   *
   * @param use - Gets the whole string, once.
   * @returns What `use` returns for the last part; otherwise whether the part was expected.
   */
  async take(message: unknown, use: (text: string) => Promise<boolean>): Promise<boolean> {
    const { parcel, index, isLast, text } = (isRecord(message) ? message : {}) as Partial<Part>;
    if (typeof parcel !== "string" || typeof index !== "number" || typeof text !== "string") {
      return false;
    }
    const known: Parcel = this.#known.get(parcel) ?? { texts: [], length: 0, next: 0 };
    if (index < known.next) {
      // It arrives again.
      return isLast === true && known.outcome !== undefined ? known.outcome : true;
    }
    this.#known.delete(parcel);
    known.texts.push(text);
    known.length += text.length;
    if (index > known.next++ || known.length > this.#maxLength) {
      return false;
    }
    this.#known.set(parcel, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > maxOpen && oldest !== undefined) {
      this.#known.delete(oldest);
    }
    if (isLast !== true) {
      return true;
    }
    const whole = known.texts.join("");
    known.texts = [];
    known.outcome = use(whole);
    return known.outcome;
  }
}
