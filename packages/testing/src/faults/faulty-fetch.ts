import { sleep, systemClock, type Clock } from "@tenon/base";

/** A fault of an HTTP request or its response. Plain JSON. */
export type FetchFault = FetchFaultPlace &
  (
    | /** The request is not sent: the network fails. */ { readonly kind: "refuse" }
    | /** The request is sent, but its response is lost: the network fails. */ {
        readonly kind: "lose";
      } /** A response with this status, and these headers, takes the place of the request. */
    | {
        readonly kind: "status";
        readonly status: number;
        readonly headers?: Readonly<Record<string, string>> | undefined;
      }
    | /** The body ends with an error after this many bytes. */ {
        readonly kind: "cut";
        readonly afterBytes: number;
      }
    | /** The body arrives in pieces of this many bytes. */ { readonly kind: "split"; readonly bytes: number }
    | /** Each piece of the body arrives this many ms later. */ {
        readonly kind: "slow";
        readonly delayMs: number;
      }
  );

/** The requests that a {@link FetchFault} concerns. */
export interface FetchFaultPlace {
  /** The HTTP method, such as `GET`. By default the fault concerns all methods. */
  readonly httpMethod?: string | undefined;
  /**
   * The request concerned, counted from 1 among the requests with `httpMethod`. By default the
   * fault concerns all requests.
   */
  readonly nth?: number | undefined;
}

/** A function like `fetch`, as the HTTP transports take it. */
export type FaultyFetch = (input: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Wraps `fetch`: some requests fail, and some responses are cut, split or slow, as a plan says. The
 * first fault that applies is taken. Pass the result as option `fetch` of an HTTP transport.
 *
 * @param clock - The clock of slow bodies. Default: the clock of the platform.
 */
export function faultyFetch(
  fetch: FaultyFetch,
  faults: readonly FetchFault[],
  clock: Clock = systemClock,
): FaultyFetch {
  const seen = faults.map(() => 0);

  function faultFor(method: string): FetchFault | undefined {
    let chosen: FetchFault | undefined;
    for (const [index, fault] of faults.entries()) {
      if (fault.httpMethod === undefined || fault.httpMethod === method) {
        const count = (seen[index] ?? 0) + 1;
        seen[index] = count;
        if (fault.nth === undefined || fault.nth === count) {
          chosen ??= fault;
        }
      }
    }
    return chosen;
  }

  return async (input, init) => {
    const fault = faultFor(init?.method ?? "GET");
    if (fault?.kind === "refuse") {
      throw new TypeError("The plan of faults refuses this request.");
    }
    if (fault?.kind === "status") {
      const { status, headers } = fault;
      return new Response(`The plan of faults gives status ${status}.`, { status, headers: { ...headers } });
    }
    const response = await fetch(input, init);
    if (fault?.kind === "lose") {
      await response.body?.cancel();
      throw new TypeError("The plan of faults loses this response.");
    }
    if (fault === undefined || response.body === null) {
      return response;
    }
    const { status, statusText, headers } = response;
    const signal = init?.signal ?? new AbortController().signal;
    const body = response.body.pipeThrough(damage(fault, { clock, signal }));
    return new Response(body, { status, statusText, headers });
  };
}

function damage(
  fault: Extract<FetchFault, { readonly kind: "cut" | "split" | "slow" }>,
  options: { readonly clock: Clock; readonly signal: AbortSignal },
): TransformStream<Uint8Array, Uint8Array> {
  let passed = 0;
  return new TransformStream({
    async transform(piece, controller) {
      if (fault.kind === "slow") {
        await sleep(fault.delayMs, { ...options, keepsAlive: true });
        controller.enqueue(piece);
      } else if (fault.kind === "split") {
        for (let start = 0; start < piece.length; start += fault.bytes) {
          controller.enqueue(piece.subarray(start, start + fault.bytes));
        }
      } else {
        const left = fault.afterBytes - passed;
        controller.enqueue(piece.subarray(0, Math.max(0, left)));
        passed += piece.length;
        if (piece.length >= left) {
          controller.error(
            new TypeError(`The plan of faults cuts the body after ${fault.afterBytes} bytes.`),
          );
        }
      }
    },
  });
}
