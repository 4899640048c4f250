import { isRecord, type ResolvedLimits } from "@tenon/base";
import {
  ErrorCode,
  type DecodeLimits,
  type ExceededLimit,
  type Incoming,
  type Malformed,
} from "@tenon/jsonrpc2/core";
import { createDecoder } from "@tenon/jsonrpc2/decode";
import { valuesAllowed } from "@tenon/jsonrpc2/transport";

/** A message that was received, and the length of its JSON. */
export interface Received {
  readonly incoming: Incoming;
  readonly size: number;
}

/**
 * Creates a function that decodes a structured clone: JSON text, or an object. An object can
 * contain values that JSON cannot represent (cycles, maps, dates, sparse arrays), so it is
 * measured first. No input makes the function throw.
 */
export function createReceiver(limits: ResolvedLimits<DecodeLimits>): (data: unknown) => Received {
  const decode = createDecoder(limits);
  return (data) => {
    if (typeof data === "string") {
      return { incoming: decode(data), size: data.length };
    }
    const measure: Measure = { limits, values: 0, size: 0 };
    const problem = problemOf(data, 1, measure);
    if (problem !== undefined) {
      return { incoming: refused(problem, data), size: measure.size };
    }
    const text = JSON.stringify(data);
    return { incoming: decode(text), size: text.length };
  };
}

/** Input that the platform could not deserialize. */
export const unreadable: Received = {
  incoming: {
    malformed: { code: ErrorCode.ParseError, message: "Parse error: the data cannot be deserialized" },
  },
  size: 0,
};

interface Measure {
  readonly limits: ResolvedLimits<DecodeLimits>;
  values: number;
  size: number;
}

/** Returns why a value is not JSON within the limits. Its recursion is bounded by `maxDepth`. */
function problemOf(value: unknown, depth: number, measure: Measure): string | undefined {
  switch (typeof value) {
    case "boolean":
      return undefined;
    case "string":
      return add(measure, 0, value.length);
    case "number":
      return Number.isFinite(value) ? undefined : `JSON has no ${value}`;
    case "object":
      return value === null ? undefined : problemOfObject(value, depth, measure);
    default:
      return `JSON has no ${typeof value}`;
  }
}

function problemOfObject(value: object, depth: number, measure: Measure): string | undefined {
  if (depth > measure.limits.maxDepth) {
    return `nested deeper than ${measure.limits.maxDepth} levels`;
  }
  if (Array.isArray(value)) {
    // The length comes first: a sparse array is long and yet cheap to send.
    let problem = add(measure, value.length, value.length);
    for (let index = 0; problem === undefined && index < value.length; index++) {
      problem = problemOf(value[index], depth + 1, measure);
    }
    return problem;
  }
  // Not by the prototype, which belongs to the realm of the window that received it.
  const tag = Object.prototype.toString.call(value).slice("[object ".length, -1);
  if (tag !== "Object") {
    return `JSON has no ${tag}`;
  }
  for (const [name, member] of Object.entries(value)) {
    // A property without a value is absent in JSON, and senders set such properties.
    const problem =
      member === undefined
        ? undefined
        : (add(measure, 1, name.length) ?? problemOf(member, depth + 1, measure));
    if (problem !== undefined) {
      return problem;
    }
  }
  return undefined;
}

function add(measure: Measure, values: number, size: number): string | undefined {
  const { maxMessageBytes } = measure.limits;
  measure.values += values;
  measure.size += size;
  const maxValues = valuesAllowed(measure.limits.maxValues, Math.min(measure.size, maxMessageBytes));
  if (measure.values > maxValues) {
    return `more than ${maxValues} values (maxValues)`;
  }
  return measure.size > maxMessageBytes
    ? `the message is longer than ${maxMessageBytes} bytes (maxMessageBytes)`
    : undefined;
}

/** The id lets the call of the sender fail at once. */
function refused(problem: string, data: unknown): Malformed {
  const { id, method, result, error } = isRecord(data) ? data : {};
  return {
    malformed: { code: ErrorCode.InvalidRequest, message: `Invalid Request: ${problem}` },
    id: typeof id === "string" || Number.isSafeInteger(id) ? (id as string | number) : undefined,
    response: method === undefined && (result !== undefined || error !== undefined),
    limit: limitIn(problem),
  };
}

/** The limit that a problem names at its end, with its value. */
function limitIn(problem: string): ExceededLimit | undefined {
  const [, maximum, name] = /(\d+) [a-z]+ \((\w+)\)$/.exec(problem) ?? [];
  return name === undefined ? undefined : { name, maximum: Number(maximum) };
}
