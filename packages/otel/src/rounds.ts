import type { Link, SpanContext } from "@opentelemetry/api";

/** Maximum number of requests whose next round is awaited, for each client or server. */
const maxOpen = 1_000;

/** The length and a hash of a state: remote peers choose how long states are. */
function keyOf(state: string): string {
  let hash = 0;
  for (let index = 0; index < state.length; index++) {
    hash = (Math.imul(hash, 31) + state.charCodeAt(index)) | 0;
  }
  return `${state.length} ${hash}`;
}

/**
 * The rounds of requests that need input: each round is a request with a span of its own, and the
 * state of the last round tells which rounds belong together.
 */
export class Rounds {
  /** The span of the first round, by the key of the last state. */
  readonly #first = new Map<string, SpanContext>();

  /** Returns a link to the first round of a request, if this is a later round. */
  link(params: Readonly<Record<string, unknown>>): Link[] {
    const { requestState } = params;
    const first = typeof requestState === "string" ? this.#first.get(keyOf(requestState)) : undefined;
    return first === undefined ? [] : [{ context: first }];
  }

  /** Notes the result of a round, whose span or first span is given. */
  ended(params: Readonly<Record<string, unknown>>, result: unknown, span: SpanContext): void {
    const { requestState } = params;
    const first = typeof requestState === "string" ? this.#first.get(keyOf(requestState)) : undefined;
    if (typeof requestState === "string") {
      this.#first.delete(keyOf(requestState));
    }
    const next: unknown =
      typeof result === "object" && result !== null && "requestState" in result
        ? result.requestState
        : undefined;
    if (typeof next !== "string") {
      return;
    }
    if (this.#first.size >= maxOpen) {
      const [oldest = ""] = this.#first.keys();
      this.#first.delete(oldest);
    }
    this.#first.set(keyOf(next), first ?? span);
  }
}
