import type { ResolvedLimits } from "@tenon/base";

import type { Batch, Malformed, Message, RequestId } from "../message.ts";
import { invalid, isErrorObject } from "./invalid.ts";
import type { DecodeLimits } from "./limits.ts";

/** The limits that are checked here. */
type ClassifyLimits = Pick<ResolvedLimits<DecodeLimits>, "maxBatch" | "maxIdLength">;

/** The properties of an envelope before validation. */
interface Envelope {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/**
 * Checks whether a parsed value is a message. Returns it unchanged, or returns the problem. Unknown
 * properties of the envelope are tolerated.
 *
 * @source R-110
 */
export function classify(value: unknown, limits: ClassifyLimits): Message | Batch | Malformed {
  return Array.isArray(value) ? classifyBatch(value, limits) : classifyOne(value, limits);
}

function classifyBatch(values: readonly unknown[], limits: ClassifyLimits): Batch | Malformed {
  if (values.length === 0) {
    return invalid("a batch must not be empty");
  }
  if (values.length > limits.maxBatch) {
    return invalid(`a batch of ${values.length} messages exceeds the limit of ${limits.maxBatch}`);
  }
  return { batch: values.map((value) => classifyOne(value, limits)) };
}

function classifyOne(value: unknown, limits: ClassifyLimits): Message | Malformed {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return invalid("a message must be a JSON object");
  }
  const envelope: Envelope = value;
  const { id, method } = envelope;
  const idError = id === undefined ? undefined : idProblem(id, limits);
  const readableId = idError === undefined ? (id as RequestId | undefined) : undefined;
  if (method === undefined) {
    return classifyResponse(envelope, idError, readableId);
  }
  if (envelope.jsonrpc !== "2.0") {
    return invalid('"jsonrpc" must be "2.0"', readableId);
  }
  if (idError !== undefined) {
    return invalid(idError);
  }
  if (typeof method !== "string") {
    return invalid('"method" must be a string', readableId);
  }
  const { params } = envelope;
  if (params !== undefined && (typeof params !== "object" || params === null)) {
    if (params === null) {
      // Several clients send null for absent parameters.
      const { params: _, ...rest } = envelope;
      return classifyOne(rest, limits);
    }
    return invalid('"params" must be an object or an array', readableId);
  }
  if (envelope.result !== undefined || envelope.error !== undefined) {
    return invalid('"method" and "result" or "error" exclude each other', readableId);
  }
  return envelope as Message;
}

function classifyResponse(
  envelope: Envelope,
  idError: string | undefined,
  id: RequestId | undefined,
): Message | Malformed {
  const { error, result } = envelope;
  if (error === undefined && result === undefined) {
    return { ...invalid('expected "method", "result" or "error"', id), bare: true };
  }
  if (error !== undefined && result !== undefined && (error === null || result === null)) {
    // A response of JSON-RPC 1.0 has both properties, and one of them is null.
    const { error: _, result: __, ...rest } = envelope;
    return classifyResponse(error === null ? { ...rest, result } : { ...rest, error }, idError, id);
  }
  if (envelope.jsonrpc !== "2.0") {
    return invalidResponse('"jsonrpc" must be "2.0"', id);
  }
  if (error === undefined) {
    return idError === undefined && id !== undefined
      ? (envelope as Message)
      : invalidResponse(idError ?? 'a result must carry an "id"');
  }
  if (result !== undefined) {
    return invalidResponse('"result" and "error" exclude each other', id);
  }
  if (idError !== undefined && envelope.id !== null) {
    return invalidResponse(idError);
  }
  return isErrorObject(error)
    ? (envelope as Message)
    : invalidResponse('"error" must have an integer "code" and a string "message"', id);
}

/**
 * Fractional, null and unsafe integer ids could not be echoed with the value they had; `-0` would
 * come back as 0.
 *
 * @source
 */
function idProblem(id: unknown, limits: ClassifyLimits): string | undefined {
  if (typeof id === "string") {
    return id.length <= limits.maxIdLength
      ? undefined
      : `"id" is ${id.length} characters long, more than ${limits.maxIdLength}`;
  }
  return Number.isSafeInteger(id) && !Object.is(id, -0)
    ? undefined
    : '"id" must be a string or a safe integer';
}

function invalidResponse(detail: string, id?: RequestId): Malformed {
  return { ...invalid(detail, id), response: true };
}
