import { SpanKind, trace, type Context, type Link, type Span } from "@opentelemetry/api";

import { attempt } from "./attempt.ts";
import {
  capturedArguments,
  capturedResult,
  sharedAttributes,
  spanAttributes,
  targetOf,
  taskAttributes,
  type Described,
} from "./describe.ts";
import { Attribute } from "./names.ts";
import type { InstrumentOptions, ReportedSession } from "./options.ts";
import { endSpan, failed, succeeded, type Outcome } from "./outcome.ts";
import { createPropagation, type Propagation } from "./propagation.ts";
import { Rounds } from "./rounds.ts";
import type { Side, Telemetry } from "./telemetry.ts";
import type { Values } from "./values.ts";

/** Requests that are repeated while something runs. */
const repeated: ReadonlySet<string> = new Set(["ping", "tasks/get"]);

/** A message in flight, from its beginning to its end. */
export interface Observed {
  /** The context in which the message is handled or sent. */
  readonly context: Context;
  /** The span; `undefined` for a message without one. */
  readonly span: Span | undefined;
  /** Ends the message with its result. */
  succeed(result: unknown): void;
  /** Ends the message with its error. */
  fail(error: unknown): void;
}

/** Makes a span and a measurement of each message. */
export class Observer {
  readonly propagation: Propagation;
  readonly #side: Side;
  readonly #telemetry: Telemetry;
  readonly #values: Values;
  readonly #options: InstrumentOptions;
  readonly #rounds = new Rounds();
  readonly #names = new WeakMap<ReportedSession, string>();
  #isActive = true;

  constructor(side: Side, telemetry: Telemetry, values: Values, options: InstrumentOptions) {
    this.#side = side;
    this.#telemetry = telemetry;
    this.#values = values;
    this.#options = options;
    const { propagate = true, baggage = false } = options;
    this.propagation = createPropagation({ propagate, baggage });
  }

  /** Whether new messages are observed. */
  get isActive(): boolean {
    // Baggage is passed on to handlers, even if nothing is recorded.
    return this.#isActive && (this.#telemetry.isRecording || this.#options.baggage === true);
  }

  /** Ends the observation of new messages. */
  end(): void {
    this.#isActive = false;
  }

  /** Observes a message whose handling or sending begins. */
  begin(
    message: Described,
    kind: SpanKind.CLIENT | SpanKind.SERVER,
    from: { readonly parent: Context; readonly links: readonly Link[] },
  ): Observed {
    const started = performance.now();
    const { method, params } = message;
    const found = targetOf(message);
    const target = found?.name;
    const shared = sharedAttributes(message, found);
    const span = this.#startSpan(message, kind, from, shared, target);
    // By method, because a subscription is a stream that stays open.
    const settled = this.#telemetry.begin(`tenon.${this.#side}.operation.active`, {
      [Attribute.method]: method,
    });
    const end = (outcome: Outcome): void => {
      settled();
      // A name that has had no result may be made up.
      const isKnown = found === undefined || outcome.hasResult || this.#values.has(found);
      const counted = isKnown ? shared : sharedAttributes(message, undefined);
      this.#telemetry.record(`mcp.${this.#side}.operation.duration`, started, {
        ...counted,
        ...outcome.attributes,
      });
      if (span !== undefined) {
        if (!isKnown && this.#side === "server") {
          // Clients choose it. The attribute still has it.
          span.updateName(method);
        }
        endSpan(span, outcome);
      }
    };
    return {
      context: span === undefined ? from.parent : trace.setSpan(from.parent, span),
      span,
      succeed: (result) => {
        if (span !== undefined) {
          this.#rounds.ended(params, result, span.spanContext());
          span.setAttributes(taskAttributes(result));
          span.setAttributes(capturedResult({ method, target }, result, this.#options.capture));
        }
        end(succeeded(method, result));
      },
      fail: (error) => end(failed(this.#side, kind === SpanKind.CLIENT, error)),
    };
  }

  #startSpan(
    message: Described,
    kind: SpanKind,
    { parent, links }: { readonly parent: Context; readonly links: readonly Link[] },
    shared: ReturnType<typeof sharedAttributes>,
    target: string | undefined,
  ): Span | undefined {
    const { tracer } = this.#telemetry;
    const { spans, capture } = this.#options;
    const { method, params, session } = message;
    const isWanted = (): boolean =>
      spans === undefined ? !repeated.has(method) : attempt("spans", () => spans(method), true);
    if (tracer === undefined || !isWanted()) {
      return undefined;
    }
    const attributes = {
      ...shared,
      ...spanAttributes(message, this.#sessionName(session)),
      ...capturedArguments(message, target, capture),
    };
    return tracer.startSpan(
      target === undefined ? method : `${method} ${target}`,
      { kind, attributes, links: [...links, ...this.#rounds.link(params)] },
      parent,
    );
  }

  /** The ID of a session is a credential: spans get another name for it. */
  #sessionName(session: ReportedSession | undefined): string | undefined {
    if (session === undefined || !("id" in session) || session.id === undefined) {
      return undefined;
    }
    const known = this.#names.get(session);
    if (known !== undefined) {
      return known;
    }
    const { id } = session;
    const name = attempt("sessionId", () => this.#options.sessionId?.(id), undefined) ?? crypto.randomUUID();
    this.#names.set(session, name);
    return name;
  }
}
