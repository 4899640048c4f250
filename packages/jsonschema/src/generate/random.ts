/** A source of chance: numbers from 0 up to, but not including, 1. */
export type Random = () => number;

/**
 * A source of chance that gives the same numbers for the same seed, on every platform.
 *
 * @param seed - Any integer; its lower 32 bits count.
 */
export function seededRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    // mulberry32: enough for tests, useless for secrets.
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A whole number from `min` to `max`, both included. */
export function between(random: Random, min: number, max: number): number {
  return min + Math.floor(random() * (max - min + 1));
}

/** One of the values. The list must not be empty. */
export function oneOf<T>(random: Random, values: readonly T[]): T {
  return values[Math.floor(random() * values.length)] as T;
}
