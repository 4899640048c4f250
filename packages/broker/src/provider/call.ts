import { ServerResponse, type IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { Readable } from "node:stream";

import type { BrokerRequest, BrokerResponse } from "../http/exchange.ts";

/** A listener of `node:http`. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** The address that a request is given. */
export interface Place {
  readonly origin: string;
  /** The path under which the listener is mounted, without a slash at the end. */
  readonly base: string;
}

/**
 * Calls a listener without a connection, so that every adapter gives it the same requests: with a
 * body that was read within limits, and with the host and the scheme of the issuer, whatever the
 * headers of the request say.
 */
export function call(
  listener: Listener,
  request: BrokerRequest,
  { origin, base }: Place,
): Promise<BrokerResponse> {
  const { host, protocol } = new URL(origin);
  const { authorization, accept, origin: from, dpop } = request.headers;
  const headers: Record<string, string> = {
    host,
    "x-forwarded-proto": protocol.slice(0, -1),
    "x-forwarded-host": host,
    ...present({ authorization, accept, origin: from, dpop }),
    ...present({
      "content-type": request.headers["content-type"],
      "access-control-request-method": request.headers["access-control-request-method"],
      "access-control-request-headers": request.headers["access-control-request-headers"],
      cookie: request.headers["cookie"],
    }),
  };
  if (request.body.length > 0) {
    headers["content-length"] = String(request.body.length);
  }
  const incoming = Object.assign(
    Readable.from(request.body.length > 0 ? [request.body] : [], { objectMode: false }),
    {
      method: request.method,
      url: `${request.path}${request.search}`,
      headers,
      baseUrl: base,
      httpVersion: "1.1",
      httpVersionMajor: 1,
      httpVersionMinor: 1,
      socket: new Socket(),
    },
  ) as unknown as IncomingMessage;
  const outgoing = new ServerResponse(incoming);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const take = (chunk: unknown): void => {
      if (typeof chunk === "string" || chunk instanceof Uint8Array) {
        chunks.push(Buffer.from(chunk as string));
      }
    };
    const write = (chunk: unknown): boolean => {
      take(chunk);
      return true;
    };
    const end = (chunk?: unknown): ServerResponse => {
      take(chunk);
      resolve({
        status: outgoing.statusCode,
        headers: headersOf(outgoing),
        body: Buffer.concat(chunks).toString(),
      });
      return outgoing;
    };
    Object.assign(outgoing, { write, end });
    Promise.resolve(listener(incoming, outgoing)).catch(reject);
  });
}

function headersOf(response: ServerResponse): readonly (readonly [string, string])[] {
  return Object.entries(response.getHeaders()).flatMap(([name, value]) =>
    name === "content-length" || name === "transfer-encoding" || value === undefined
      ? []
      : [value].flat().map((one) => [name, String(one)] as const),
  );
}

function present(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
