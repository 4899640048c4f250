import { McpError } from "./error.ts";

/** How a client or server takes another side that departs from the protocol: it refuses, or it tolerates what {@link tolerated} lists and warns. */
export type Strictness = "strict" | "lenient";

/** What `lenient` tolerates, and what it does about it. Everything else is refused by both. */
export const tolerated = {
  undeclaredServerCapability:
    "a server is sent a request although it has not declared the capability that the request requires",
} as const;

/** One of the departures from the protocol that may be {@link tolerated}. */
export type Departure = keyof typeof tolerated;

/**
 * Decides about a departure: throws the refusal, or warns and returns.
 *
 * @param refusal - What is thrown, or becomes the `cause` of the warning; its message says what was expected and what came.
 */
export type Tolerate = (departure: Departure, refusal: Error) => void;

/** Most warnings of one client or server; what the other side makes up must not fill a log. */
const maxWarnings = 256;

/** Makes what decides. Warnings are `McpError`s `TOLERATED`; the same one is given once. @param warn - The error sink. */
export function toleranceOf(strictness: Strictness = "strict", warn: (warning: McpError) => void): Tolerate {
  if (strictness === "strict") {
    return (_, refusal) => {
      throw refusal;
    };
  }
  const warned = new Set<string>();
  return (departure, refusal) => {
    const message = `Tolerated (${departure}): ${refusal.message}`;
    if (!warned.has(message) && warned.size < maxWarnings) {
      warned.add(message);
      warn(new McpError("TOLERATED", message, { cause: refusal }));
    }
  };
}
