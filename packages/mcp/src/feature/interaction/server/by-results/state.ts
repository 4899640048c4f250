import type { InputResponses } from "@tenon/protocol";

/** An input request that was sent to the client. */
export interface Asked {
  /** Identifies the input request, to detect that the handler makes a different one now. */
  readonly fingerprint: string;
  /** `[]` until the client has responded; then `[response]`, as received. */
  readonly answer: readonly [] | readonly [unknown];
}

/** The state of one request between two rounds. */
export interface InteractionState {
  /** The number of rounds of input requests so far. */
  readonly rounds: number;
  readonly asked: ReadonlyMap<string, Asked>;
  /** The results of steps; `undefined` is one of them. */
  readonly steps: ReadonlyMap<string, unknown>;
  /** The state that the handler itself passed to `inputRequired`. */
  readonly user: unknown;
}

/** The state of a request that has not asked for anything yet. */
export const emptyState: InteractionState = {
  rounds: 0,
  asked: new Map(),
  steps: new Map(),
  user: undefined,
};

/** The state as text. @param expires - In milliseconds since 1970. */
export function encodeState({ rounds, asked, steps, user }: InteractionState, expires: number): string {
  return JSON.stringify({
    e: expires,
    r: rounds,
    a: [...asked].map(([key, { fingerprint, answer }]) => [key, fingerprint, ...answer]),
    s: [...steps].map(([name, value]) => (value === undefined ? [name] : [name, value])),
    u: user,
  });
}

interface Encoded {
  readonly e: number;
  readonly r: number;
  readonly a: readonly (readonly [string, string, ...([] | [unknown])])[];
  readonly s: readonly (readonly [string, unknown?])[];
  readonly u?: unknown;
}

/**
 * The state that {@link encodeState} made; `undefined` if it has expired. The text must have been
 * authenticated.
 */
export function decodeState(text: string, now: number): InteractionState | undefined {
  const { e, r, a, s, u } = JSON.parse(text) as Encoded;
  if (now >= e) {
    return undefined;
  }
  const asked = new Map(a.map(([key, fingerprint, ...answer]) => [key, { fingerprint, answer }]));
  return { rounds: r, asked, steps: new Map(s.map(([name, value]) => [name, value])), user: u };
}

/**
 * Returns the state with the responses of a round. Responses to unknown input requests, and second
 * responses, are ignored.
 *
 * @source R-654
 */
export function withResponses(state: InteractionState, responses: InputResponses): InteractionState {
  const asked = new Map(
    [...state.asked].map(([key, question]) =>
      question.answer.length === 0 && Object.hasOwn(responses, key)
        ? [key, { ...question, answer: [responses[key]] as const }]
        : [key, question],
    ),
  );
  return { ...state, asked };
}
