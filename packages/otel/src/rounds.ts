import type { Link, SpanContext } from "@opentelemetry/api";

/** Maximum number of requests whose next round is awaited, for each client or server. */
const maxOpen = 1_000;

/** Maximum length of their states together, in characters. */
const maxCharacters = 1_048_576;

/**
 * The rounds of requests that need input: each round is a request with a span of its own, and the
 * state of the last round tells which rounds belong together. Above the limits, the oldest are
 * forgotten.
 */
export class Rounds {
  /** The span of the first round, by the last state. */
  readonly #first = new Map<string, SpanContext>();
  #characters = 0;

  /** Returns a link to the first round of a request, if this is a later round. */
  link(params: Readonly<Record<string, unknown>>): Link[] {
    const { requestState } = params;
    const first = typeof requestState === "string" ? this.#first.get(requestState) : undefined;
    return first === undefined ? [] : [{ context: first }];
  }

  /** Notes the result of a round, whose span or first span is given. */
  ended(params: Readonly<Record<string, unknown>>, result: unknown, span: SpanContext): void {
    const { requestState } = params;
    const first = typeof requestState === "string" ? this.#forget(requestState) : undefined;
    const next: unknown =
      typeof result === "object" && result !== null && "requestState" in result
        ? result.requestState
        : undefined;
    if (typeof next !== "string" || next.length > maxCharacters) {
      return;
    }
    this.#forget(next);
    for (const [oldest] of this.#first) {
      if (this.#first.size < maxOpen && this.#characters + next.length <= maxCharacters) {
        break;
      }
      this.#forget(oldest);
    }
    this.#characters += next.length;
    this.#first.set(next, first ?? span);
  }

  #forget(state: string): SpanContext | undefined {
    const first = this.#first.get(state);
    if (this.#first.delete(state)) {
      this.#characters -= state.length;
    }
    return first;
  }
}
