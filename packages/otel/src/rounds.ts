import type { Link, SpanContext } from "@opentelemetry/api";

/** Maximum number of requests whose next round is awaited, for each client or server. */
const maxOpen = 1_000;

/** Maximum length of a state that is remembered, in characters. Remote peers choose it. */
const maxState = 8_192;

/**
 * The rounds of requests that need input: each round is a request with a span of its own, and the
 * state of the last round tells which rounds belong together.
 */
export class Rounds {
  readonly #first = new Map<string, SpanContext>();

  /** Returns a link to the first round of a request, if this is a later round. */
  link(params: Readonly<Record<string, unknown>>): Link[] {
    const { requestState } = params;
    const first = typeof requestState === "string" ? this.#first.get(requestState) : undefined;
    return first === undefined ? [] : [{ context: first }];
  }

  /** Notes the result of a round, whose span or first span is given. */
  ended(params: Readonly<Record<string, unknown>>, result: unknown, span: SpanContext): void {
    const { requestState } = params;
    const first = typeof requestState === "string" ? this.#first.get(requestState) : undefined;
    if (typeof requestState === "string") {
      this.#first.delete(requestState);
    }
    const next: unknown =
      typeof result === "object" && result !== null && "requestState" in result
        ? result.requestState
        : undefined;
    if (typeof next !== "string" || next.length > maxState) {
      return;
    }
    if (this.#first.size >= maxOpen) {
      const [oldest = next] = this.#first.keys();
      this.#first.delete(oldest);
    }
    this.#first.set(next, first ?? span);
  }
}
