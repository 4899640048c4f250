import { checkOptionNames, isRecord } from "@tenon/base";
import { redactor, type Redaction } from "@tenon/http/redact";
import {
  connectionClosed,
  ErrorCode,
  type Connection,
  type Incoming,
  type Message,
  type Transport,
} from "@tenon/jsonrpc2/core";
import { copyOf, writeAccepted } from "@tenon/jsonrpc2/transport";

import { exchangesOf, questionOf, type Exchange, type Json } from "./exchanges.ts";
import type { Cassette } from "./format.ts";

/** Options of {@link replayCassette}. */
export interface ReplayCassetteOptions {
  /**
   * Which recorded request counts as equal to a request. `"params"` (the default): a request with
   * the same method and params, except for `_meta`, `clientInfo` and cursors. `"method"`: a request
   * with the same method and any params.
   */
  readonly match?: "params" | "method" | undefined;
  /**
   * The redaction with which the cassette was recorded. Requests are redacted in the same way
   * before they are compared. By default only the built-in rules apply.
   */
  readonly redaction?: Redaction | undefined;
}

/**
 * Creates a transport for clients that behaves like the recorded server. Equal requests get the
 * responses that were recorded for them, in the recorded order. After the last of these responses,
 * it is repeated. A request without a recorded response gets an error response that quotes the
 * request. Each connection starts from the beginning. Responses come at once, whatever time they
 * took when they were recorded.
 *
 * @throws `TypeError` for options that do not exist.
 */
export function replayCassette(cassette: Cassette, options: ReplayCassetteOptions = {}): Transport {
  checkOptionNames("replayCassette", options, "match redaction");
  const { match = "params" } = options;
  const redact = redactor(options.redaction);
  const exchanges = exchangesOf(cassette);
  const keyOf = (request: Json): string =>
    match === "method" ? String(request["method"]) : questionOf(redact(request) as Json);
  return { connect: () => Promise.resolve(mockConnection(exchanges, keyOf)) };
}

function mockConnection(exchanges: readonly Exchange[], keyOf: (request: Json) => string): Connection {
  const recorded = new Map<string, Exchange[]>();
  for (const exchange of exchanges) {
    // Redacted again, because the recording may be older than a rule.
    const key = keyOf(exchange.request);
    recorded.set(key, [...(recorded.get(key) ?? []), exchange]);
  }
  const queue: Incoming[] = [];
  /** The rest of an exchange, by the ID of the server request that the client must respond to. */
  const paused = new Map<string, () => void>();
  let reader: ((incoming: Incoming | undefined) => void) | undefined;
  let closed = false;

  function deliver(message: Json): void {
    const incoming = message as unknown as Message;
    if (reader === undefined) {
      queue.push(incoming);
    } else {
      const waiting = reader;
      reader = undefined;
      waiting(incoming);
    }
  }

  function play(answers: readonly Json[], request: Json): void {
    for (const [index, answer] of answers.entries()) {
      deliver("method" in answer ? withProgressToken(answer, request) : { ...answer, id: request["id"] });
      if ("method" in answer && "id" in answer) {
        paused.set(JSON.stringify(answer["id"]), () => play(answers.slice(index + 1), request));
        return;
      }
    }
  }

  function take(message: Json): void {
    if (!("method" in message)) {
      const id = JSON.stringify(message["id"]);
      const resume = paused.get(id);
      paused.delete(id);
      resume?.();
    } else if ("id" in message) {
      const found = recorded.get(keyOf(message));
      const exchange = found === undefined || found.length < 2 ? found?.[0] : found.shift();
      // A recording that was cut off has requests without a response.
      const answers = exchange?.answers ?? [];
      const isAnswered = answers.some((answer) => !("method" in answer));
      play(isAnswered ? answers : [...answers, unrecorded(message)], message);
    }
  }

  const connection: Connection = {
    read: () =>
      closed || queue.length > 0
        ? Promise.resolve(closed ? undefined : queue.shift())
        : new Promise((resolve) => {
            reader = resolve;
          }),
    write(outgoing) {
      if (closed) {
        return Promise.reject(connectionClosed());
      }
      const copied: unknown = copyOf(outgoing);
      for (const message of (Array.isArray(copied) ? copied : [copied]).filter(isRecord)) {
        take(message);
      }
      return writeAccepted;
    },
    close() {
      closed = true;
      reader?.(undefined);
      return Promise.resolve();
    },
    [Symbol.asyncDispose]: () => connection.close(),
  };
  return connection;
}

/** A recorded notification, with the progress token that the request has now. */
function withProgressToken(message: Json, request: Json): Json {
  const { params } = message;
  const meta = isRecord(request["params"]) ? request["params"]["_meta"] : undefined;
  return isRecord(params) && "progressToken" in params && isRecord(meta) && "progressToken" in meta
    ? { ...message, params: { ...params, progressToken: meta["progressToken"] } }
    : message;
}

function unrecorded(request: Json): Json {
  const question = questionOf(request).slice(0, 300);
  const message = `Record ${question} again: the cassette has no response for this request.`;
  return { jsonrpc: "2.0", error: { code: ErrorCode.InternalError, message } };
}
