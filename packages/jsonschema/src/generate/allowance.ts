/** Values of all levels that one generated value may have. */
const maxValues = 10_000;
/** Maximum number of characters in all strings of one generated value. */
const maxCharacters = 1_048_576;
/** Steps for one result. A step takes a few microseconds. */
const maxSteps = 400_000;
/** Attempts for one result that may end because the value is too large. */
const maxTooLarge = 10;

/** Thrown while a value is generated that is too large, or took too many steps. */
export class Exhausted extends Error {}

/**
 * The rest of the budget for a result. Without it a short schema of an untrusted author, such as
 * three required references to itself, would take all memory and time.
 */
export class Allowance {
  #values = maxValues;
  #characters = maxCharacters;
  #steps = maxSteps;

  /** Whether steps are left for another attempt. */
  get isLeft(): boolean {
    return this.#steps > 0;
  }

  /** Counts an attempt that was too large, because the next one probably is as well. */
  punish(): void {
    this.#steps -= maxSteps / maxTooLarge;
  }

  /** Begins another value. Its steps come from the same result. */
  restart(): void {
    this.#values = maxValues;
    this.#characters = maxCharacters;
  }

  /** @throws {@link Exhausted} if no steps are left. */
  step(count: number): void {
    this.#steps -= count;
    if (!(this.#steps > 0)) {
      throw new Exhausted();
    }
  }

  /** Counts one more value. @throws {@link Exhausted} for too many. */
  value(): void {
    this.reserve(1);
    this.#values--;
  }

  /** Counts the text of a value. @throws {@link Exhausted} for too many characters. */
  text(length: number): void {
    this.checkText(length);
    this.#characters -= length;
  }

  /** @throws {@link Exhausted} if that many values cannot follow. Nothing is counted. */
  reserve(count: number): void {
    if (!(count <= this.#values)) {
      throw new Exhausted();
    }
  }

  /** @throws {@link Exhausted} if a string of this length cannot follow. Nothing is counted. */
  checkText(length: number): void {
    if (!(length <= this.#characters)) {
      throw new Exhausted();
    }
  }
}
