import { Attribute, other } from "./names.ts";
import { checkHandlerOptions, type InstrumentHandlerOptions } from "./options.ts";
import { Telemetry } from "./telemetry.ts";
import { Values } from "./values.ts";

/** The methods of the HTTP endpoint of an MCP server. Others are names that strangers choose. */
const methods: ReadonlySet<string> = new Set(["DELETE", "GET", "HEAD", "OPTIONS", "POST"]);

/** The parts of a response of `node:http` that are read. */
interface NodeResponseLike {
  readonly statusCode: number;
  readonly headersSent: boolean;
  readonly closed: boolean;
  on(event: "close", listener: () => void): unknown;
}

/** The functions of a handler that take a request: those that it has are measured. */
interface RequestFunctions {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly serve: (request: Request, context: object) => Promise<Response>;
  readonly node: (
    request: { readonly method?: string | undefined },
    response: NodeResponseLike,
    context?: object,
  ) => Promise<void>;
}

/**
 * Measures the HTTP requests of a handler: the gauge `tenon.server.http.active` has the number of
 * open requests, by HTTP method, and the histogram `tenon.server.http.duration` their durations
 * until the response has ended, by method and status. An open `GET` is a stream of a legacy
 * session, and a status from 400 on is a refusal, which no middleware of the server sees. While the
 * program has registered no meter provider, requests are passed on without further cost.
 *
 * @param handler - The result of a function such as `createStreamableHandler`.
 * @returns A handler with the same methods, to be used in place of `handler`.
 *
 * @example
 * const handler = instrumentHandler(createStreamableHandler({ getServer: () => server }));
 *
 * @throws `TypeError` for options that do not exist.
 */
export function instrumentHandler<T extends object>(handler: T, options: InstrumentHandlerOptions = {}): T {
  checkHandlerOptions(options);
  const measure = measurer(new Telemetry(options, new Values(1)));
  const { fetch, serve, node } = handler as Partial<RequestFunctions>;
  const measured: Partial<RequestFunctions> = {
    ...(fetch && { fetch: (request) => exchange(measure(request.method), () => fetch(request)) }),
    ...(serve && {
      serve: (request, context) =>
        exchange(measure(request.method), () => serve.call(handler, request, context)),
    }),
    ...(node && {
      node(request, response, context) {
        const end = measure(request.method);
        if (end !== undefined) {
          const ended = (): void => end(response.headersSent ? response.statusCode : undefined);
          // A client may have left before the handler was called.
          if (response.closed) {
            ended();
          } else {
            response.on("close", ended);
          }
        }
        return node.call(handler, request, response, context);
      },
    }),
  };
  // Properties that are not enumerable tell others what the handler supports.
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(handler));
  return Object.defineProperties(copy, Object.getOwnPropertyDescriptors(measured)) as T;
}

/** Ends the measurement of a request, with the status of its response if there was one. */
type End = (status: number | undefined) => void;

/** Begins to measure a request; `undefined` while the program has registered no provider. */
function measurer(telemetry: Telemetry): (method: string | undefined) => End | undefined {
  return (given = "") => {
    if (!telemetry.isRecording) {
      return undefined;
    }
    const method = methods.has(given) ? given : other;
    const started = performance.now();
    const ended = telemetry.begin("tenon.server.http.active", { [Attribute.httpMethod]: method });
    return (status) => {
      ended();
      telemetry.record("tenon.server.http.duration", started, {
        [Attribute.httpMethod]: method,
        ...(status === undefined ? {} : { [Attribute.httpStatus]: status }),
      });
    };
  };
}

async function exchange(end: End | undefined, respond: () => Promise<Response>): Promise<Response> {
  if (end === undefined) {
    return respond();
  }
  try {
    const response = await respond();
    const { body, status } = response;
    if (body === null) {
      end(status);
      return response;
    }
    return new Response(
      followed(body, () => end(status)),
      response,
    );
  } catch (error) {
    end(undefined);
    throw error;
  }
}

/** A body that tells when it has ended, or when its reader has left. */
function followed(body: ReadableStream<Uint8Array>, end: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let isCancelled = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { value } = await reader.read();
          if (value !== undefined) {
            controller.enqueue(value);
            return;
          }
          controller.close();
        } catch (error) {
          controller.error(error);
        }
        // A read that waits ends with the cancellation.
        if (!isCancelled) {
          end();
        }
      },
      cancel(reason) {
        isCancelled = true;
        end();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
