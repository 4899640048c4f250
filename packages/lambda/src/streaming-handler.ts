import { once } from "node:events";
import type { Writable } from "node:stream";

import { checkOptionNames, readLimits, reportError } from "@tenon/base";

import type { LambdaEvent } from "./event.ts";
import { deadlineOf, type Deadline, type LambdaContext } from "./invocation.ts";
import { headOf } from "./result.ts";
import { lambdaLimits, serve, type ServeHandler, type LambdaLimits, type LambdaOptions } from "./serve.ts";

/** Options of {@link createStreamingLambdaHandler}. */
export interface StreamingLambdaHandlerOptions extends LambdaOptions {
  /** Limits of an invocation. Each limit has its own default. */
  readonly limits?: LambdaLimits | undefined;
}

/** A function of Lambda that writes its response to a stream. */
type StreamingLambda = (event: LambdaEvent, stream: Writable, context?: LambdaContext) => Promise<void>;

/** The global object of the Node runtimes of Lambda. */
interface AwsLambda {
  streamifyResponse(handler: StreamingLambda): unknown;
  readonly HttpResponseStream: { from(stream: Writable, head: object): Writable };
}

/**
 * Makes the function of a Lambda that streams its responses, so that progress and log messages
 * arrive while a call runs. It needs a function URL with the invoke mode `RESPONSE_STREAM`, or a
 * REST API that streams. An open stream, such as a subscription, ends shortly before the invocation
 * does; a client that disconnects cancels its request. A response that fails after its first part
 * ends there.
 *
 * @example
 * const mcp = createStatelessHandler({ getServer: () => server, allowedHosts: ["mcp.example.com"] });
 * export const handler = createStreamingLambdaHandler(mcp);
 *
 * @returns The function as Lambda's `awslambda.streamifyResponse` returns it.
 * @throws `TypeError` for options that do not exist or are out of range. `Error` outside of the
 *   Node runtimes of Lambda, which have `awslambda`.
 */
export function createStreamingLambdaHandler(
  handler: ServeHandler,
  options: StreamingLambdaHandlerOptions = {},
): unknown {
  checkOptionNames("createStreamingLambdaHandler", options, "routes:array onError limits", lambdaLimits);
  const { reserveMs } = readLimits(options.limits, lambdaLimits);
  const { routes, onError } = options;
  const { awslambda } = globalThis as { readonly awslambda?: AwsLambda };
  if (awslambda === undefined) {
    throw new Error(
      "Responses can be streamed in the Node runtimes of Lambda only, which have the global awslambda. Elsewhere use createLambdaHandler.",
    );
  }
  return awslambda.streamifyResponse(async (event, stream, context) => {
    using deadline = deadlineOf(context, reserveMs);
    // The client may disconnect before there is a response.
    const end = endOf(stream, deadline);
    const { response, isV1 } = await serve(handler, event, { deadline, routes, onError });
    if (stream.destroyed) {
      void response.body?.cancel().catch(() => undefined);
      return;
    }
    const output = awslambda.HttpResponseStream.from(stream, headOf(response, isV1));
    try {
      await pass(response, output, deadline);
    } catch (error) {
      // The abort itself may be the error of the body.
      if (!deadline.signal.aborted) {
        reportError({ onError }, error);
      }
    } finally {
      // Also after an error: an open stream would keep the function running until its timeout.
      output.end();
      await end;
    }
  });
}

/**
 * Waits until a stream has taken all data, or the client has disconnected, which cancels its
 * request.
 */
function endOf(stream: Writable, deadline: Deadline): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      stream.off("finish", settle);
      stream.off("close", leave);
      resolve();
    };
    const leave = (): void => {
      deadline.cancel();
      settle();
    };
    stream.on("finish", settle);
    stream.on("close", leave);
    // It stays: without it, an error after the end would end the process.
    stream.on("error", leave);
  });
}

/** Passes a body on as fast as the client reads, until it or the time of the invocation ends. */
async function pass({ body }: Response, output: Writable, { signal }: Deadline): Promise<void> {
  // Status and headers are sent with the first write.
  output.write("");
  if (body === null) {
    return;
  }
  const reader = body.getReader();
  const stop = (): void => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener("abort", stop, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || output.destroyed) {
        return;
      }
      if (!output.write(value)) {
        await once(output, "drain", { signal }).catch(() => undefined);
      }
    }
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}
