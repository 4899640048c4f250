import {
  context,
  propagation,
  ROOT_CONTEXT as root,
  trace,
  type Context,
  type Link,
  type Span,
  type TextMapGetter,
} from "@opentelemetry/api";

/** The keys of `_meta` that the protocol reserves for trace context. @source R-145 */
export const traceKeys: readonly string[] = ["traceparent", "tracestate"];
const baggage = "baggage";

type Meta = Readonly<Record<string, unknown>>;

interface HttpHeaders {
  readonly headers: { get(name: string): string | undefined };
}

const ofMeta: TextMapGetter<Meta> = {
  keys: (meta) => Object.keys(meta),
  get: (meta, key) => {
    const value = Object.hasOwn(meta, key) ? meta[key] : undefined;
    return typeof value === "string" ? value : undefined;
  },
};

const ofHeaders: TextMapGetter<HttpHeaders["headers"]> = {
  keys: () => [...traceKeys, baggage],
  get: (headers, key) => headers.get(key),
};

const allowing = <C>(getter: TextMapGetter<C>, allowed: readonly string[]): TextMapGetter<C> => ({
  keys: (carrier) => getter.keys(carrier).filter((key) => allowed.includes(key)),
  get: (carrier, key) => (allowed.includes(key) ? getter.get(carrier, key) : undefined),
});

/** Reads and writes the trace context of messages. */
export interface Propagation {
  /** Returns `_meta` with the trace context of a span. */
  inject(meta: Meta | undefined, span: Span, active: Context): Meta | undefined;
  /** Returns the context in which a message is handled, and the spans that are related to it. */
  extract(meta: Meta, http: HttpHeaders | undefined): { readonly parent: Context; readonly links: Link[] };
}

/**
 * Creates the propagation by the global propagator, within the keys that the protocol reserves.
 *
 * @param options - `propagate`: whether messages are changed; `baggage`: whether it is exchanged.
 */
export function createPropagation(options: { propagate: boolean; baggage: boolean }): Propagation {
  const keys = options.baggage ? [...traceKeys, baggage] : traceKeys;
  const metaGetter = allowing(ofMeta, keys);
  const headerGetter = allowing(ofHeaders, keys);
  return {
    inject(meta, span, active) {
      if (!options.propagate) {
        return meta;
      }
      const carrier: Record<string, string> = {};
      propagation.inject(trace.setSpan(active, span), carrier);
      const written = Object.entries(carrier).filter(([key]) => keys.includes(key));
      return written.length === 0 ? meta : { ...meta, ...Object.fromEntries(written) };
    },
    extract(meta, http) {
      const active = context.active();
      const remote = trace.getSpanContext(propagation.extract(root, meta, metaGetter));
      if (remote !== undefined) {
        const ambient = trace.getSpanContext(active);
        const isOther = ambient !== undefined && ambient.spanId !== remote.spanId;
        return {
          parent: propagation.extract(active, meta, metaGetter),
          links: isOther ? [{ context: ambient }] : [],
        };
      }
      return {
        parent:
          trace.getSpanContext(active) === undefined && http !== undefined
            ? propagation.extract(active, http.headers, headerGetter)
            : active,
        links: [],
      };
    },
  };
}
