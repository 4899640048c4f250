import { McpError } from "./error.ts";

/**
 * The handling of a remote peer that deviates from the protocol. `strict` rejects every deviation,
 * and is for tests. `normal`, the default, tolerates the deviations in {@link usuallyTolerated}.
 * `lenient` tolerates all deviations in {@link tolerated}. Each is reported as a warning.
 */
export type Strictness = "strict" | "normal" | "lenient";

/**
 * The deviations that `lenient` tolerates, and their effect. All others are rejected in every mode.
 * The first group applies to clients, the second to servers.
 */
export const tolerated = {
  /** @source R-170 */
  undeclaredServerCapability:
    "a request is sent although the server has not declared the capability that it requires",
  /** @source */
  incompleteServer:
    "the result of initialize or server/discover lacks required properties, or has instructions or a serverInfo of the wrong type: invalid parts are ignored",
  /** @source R-191 */
  unsupportedWithoutAlternative:
    "-32022 that lists no protocol version is treated as the response of a legacy server, and initialize is sent",
  /** @source R-112 */
  emptyResult: "null or an empty list in place of a result is treated as {}",
  /** @source R-112 */
  resultNoObject: "another result that is not an object (such as a string) is treated as {}",
  /** @source R-566 */
  repeatedCursor: "a list ends at a nextCursor of an earlier page, or one that is not a string",
  /** @source R-165 */
  refusedNotification: "notifications/initialized is refused, and the session opened",
  /** @source S-051 */
  oddContent: "the content of a tool result is a string or one block, and read as a list",
  /** @source R-471 */
  unusableOutputSchema:
    "structuredContent is passed on unchecked if the listed outputSchema cannot be used, for example because of its dialect",
  /** @source R-471 */
  unfitOutput: "structuredContent that is missing or does not match the listed outputSchema is passed on",

  /** @source R-173 */
  requestBeforeInitialize:
    "a request of the legacy era that comes before initialize is served in the newest legacy revision, as from a client that has declared nothing",
  /** @source R-160 */
  repeatedInitialize: "a second initialize is accepted, and its negotiated values apply from then on",
  /** @source */
  incompleteClient:
    "initialize without capabilities or clientInfo, or a modern _meta without clientCapabilities, or with a clientInfo or logLevel that is not valid, is read without what is not valid",
} as const;

/** One of the departures from the protocol that may be {@link tolerated}. */
export type Departure = keyof typeof tolerated;

/**
 * The deviations that are tolerated by default: common ones that put nothing at risk, because the
 * intended meaning is certain.
 */
export const usuallyTolerated: readonly Departure[] = [
  "incompleteServer",
  "emptyResult",
  "repeatedCursor",
  "refusedNotification",
  "oddContent",
  "unusableOutputSchema",
  "repeatedInitialize",
];

/**
 * Handles a deviation: throws the error, or warns and returns.
 *
 * @param refusal - The error to throw, or the `cause` of the warning. Its message contains the
 *   expected and the received value.
 */
export type Tolerate = (departure: Departure, refusal: Error) => void;

/** Maximum number of warnings per client or server, so that a remote peer cannot fill a log. */
const maxWarnings = 256;

/**
 * Creates the function that handles deviations. Warnings are `McpError`s `TOLERATED`; each is
 * reported once.
 *
 * @param warn - The error sink.
 */
export function toleranceOf(strictness: Strictness = "normal", warn: (warning: McpError) => void): Tolerate {
  const warned = new Set<string>();
  return (departure, refusal) => {
    const isTolerated =
      strictness === "lenient" || (strictness === "normal" && usuallyTolerated.includes(departure));
    if (!isTolerated) {
      throw refusal;
    }
    const message = `Tolerated (${departure}): ${refusal.message}`;
    if (!warned.has(message) && warned.size < maxWarnings) {
      warned.add(message);
      warn(new McpError("TOLERATED", message, { cause: refusal }));
    }
  };
}
