import { checkOptionNames, readLimits, reportError, type LimitRules } from "@tenon/base";

import type { LambdaEvent } from "./event.ts";
import { deadlineOf, type LambdaContext } from "./invocation.ts";
import { headOf, isText, type LambdaResult } from "./result.ts";
import {
  failed,
  lambdaLimits,
  late,
  plain,
  serve,
  type ServeHandler,
  type LambdaLimits,
  type LambdaOptions,
} from "./serve.ts";
import { withoutStreams } from "./subscription.ts";

/** Options of {@link createLambdaHandler}. */
export interface LambdaHandlerOptions extends LambdaOptions {
  /** Limits of an invocation. Each limit has its own default. */
  readonly limits?: LambdaHandlerLimits | undefined;
}

/** Limits of {@link createLambdaHandler}. */
export interface LambdaHandlerLimits extends LambdaLimits {
  /**
   * Maximum size of a result, encoded as JSON, in bytes; Lambda sends no more. A larger response is
   * replaced by one with status 500, because Lambda would drop it without a reason that the client
   * sees. Default: `6_291_456` (6 MiB).
   */
  readonly maxResultBytes?: number | undefined;
}

/** The rules of {@link LambdaHandlerLimits}. */
export const lambdaHandlerLimits: LimitRules<LambdaHandlerLimits> = {
  ...lambdaLimits,
  maxResultBytes: [6 * 1024 * 1024, 1],
};

/** A function as Lambda calls it. */
export type LambdaHandler = (event: LambdaEvent, context?: LambdaContext) => Promise<LambdaResult>;

/**
 * Makes the function of a Lambda that returns each response as a whole. It serves function URLs,
 * and HTTP and REST APIs of API Gateway. Progress and log messages arrive together with the result;
 * `subscriptions/listen` is rejected as an unknown method, and a GET that opens the stream of a
 * legacy session gets 405, since both would keep the function running until its timeout.
 *
 * The request is cancelled shortly before the invocation ends, and gets 504. Handlers read the
 * address of the client from `ctx.http.address`.
 *
 * @example
 * const mcp = createStatelessHandler({ getServer: () => server, allowedHosts: ["mcp.example.com"] });
 * export const handler = createLambdaHandler(mcp);
 *
 * @throws `TypeError` for options that do not exist or are out of range.
 */
export function createLambdaHandler(
  handler: ServeHandler,
  options: LambdaHandlerOptions = {},
): LambdaHandler {
  checkOptionNames("createLambdaHandler", options, "routes:array onError limits", lambdaHandlerLimits);
  const { reserveMs, maxResultBytes } = readLimits(options.limits, lambdaHandlerLimits);
  const { routes, onError } = options;

  const brief = withoutStreams(handler);

  async function respond(event: LambdaEvent, context: LambdaContext | undefined): Promise<LambdaResult> {
    using deadline = deadlineOf(context, reserveMs);
    const { response, isV1 } = await serve(brief, event, { deadline, routes, onError });
    let bytes: Buffer | undefined;
    try {
      bytes = await bytesOf(response, maxResultBytes, deadline.signal);
    } catch (error) {
      if (!deadline.isOver) {
        reportError({ onError }, error);
        return whole(failed(), isV1);
      }
    }
    if (deadline.isOver) {
      return whole(late(), isV1);
    }
    const result = bytes && resultOf(response, bytes, isV1);
    if (result !== undefined && sizeOf(result) <= maxResultBytes) {
      return result;
    }
    const message = `Lambda returns at most ${maxResultBytes} bytes at once, and the response has more as JSON. Return less, or stream the response with createStreamingLambdaHandler.`;
    reportError({ onError }, new RangeError(message));
    return whole(plain(500, message), isV1);
  }

  return respond;
}

/** The result of a response that is made here. */
async function whole(response: Response, isV1: boolean): Promise<LambdaResult> {
  return resultOf(response, Buffer.from(await response.arrayBuffer()), isV1);
}

function resultOf(response: Response, bytes: Buffer, isV1: boolean): LambdaResult {
  const isPlain = isText(response.headers, bytes);
  return {
    ...headOf(response, isV1),
    body: bytes.toString(isPlain ? "utf8" : "base64"),
    isBase64Encoded: !isPlain,
  };
}

/**
 * Reads a body to its end, or until the signal aborts.
 *
 * @returns `undefined` for a body above the limit. A result is never smaller than its body.
 * @throws What the body fails with.
 */
async function bytesOf(
  { body }: Response,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  if (body === null) {
    return Buffer.alloc(0);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = body.getReader();
  const stop = (): void => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener("abort", stop, { once: true });
  try {
    if (signal.aborted) {
      stop();
    }
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        return Buffer.concat(chunks);
      }
      chunks.push(value);
      size += value.length;
      if (size > maxBytes) {
        stop();
        return undefined;
      }
    }
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** The size of a result as Lambda gets it: escapes and headers count. */
function sizeOf(result: LambdaResult): number {
  return Buffer.byteLength(JSON.stringify(result));
}
