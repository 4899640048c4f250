import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { Client, Server, type ClientSession, type ServerOptions } from "@tenon/mcp";
import { openapi, type OpenApiOptions, type OpenApiSource } from "@tenon/openapi";
import type { Revision } from "@tenon/protocol";
import { modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { onTestFinished } from "vitest";

/** A request that an API has received. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path and query, as they came. */
  readonly target: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/** An answer: a value for JSON, bytes or text, or a function that writes everything. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  readonly write?: (response: ServerResponse) => void;
}

/** An API on 127.0.0.1. */
export interface Api {
  readonly url: string;
  readonly requests: ReceivedRequest[];
  /** The answer to each further request. */
  answer: Answer | ((request: ReceivedRequest) => Answer);
}

/** Starts an API that answers with 204 until it is told otherwise. */
export async function startApi(): Promise<Api> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url: target = "", headers } = request;
      const received = { method, target, headers, body: Buffer.concat(chunks) };
      api.requests.push(received);
      respond(response, received);
    });
  });
  const respond = (response: ServerResponse, request: ReceivedRequest): void => {
    const {
      status,
      headers = {},
      body,
      write,
    } = typeof api.answer === "function" ? api.answer(request) : api.answer;
    if (write !== undefined) {
      write(response);
      return;
    }
    const isRaw = typeof body === "string" || body instanceof Uint8Array;
    response.writeHead(status ?? (body === undefined ? 204 : 200), {
      ...(body === undefined || isRaw ? {} : { "content-type": "application/json" }),
      ...headers,
    });
    response.end(body === undefined ? undefined : isRaw ? body : JSON.stringify(body));
  };
  const api: Api = { url: "", requests: [], answer: {} };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(api, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

/** The path of a document of this folder. */
export function documentPath(name: string): string {
  return new URL(`documents/${name}`, import.meta.url).pathname;
}

/** A client of a server with an API. */
export interface Opened {
  readonly api: Api;
  readonly source: OpenApiSource;
  readonly session: ClientSession;
  readonly server: Server;
  readonly warnings: string[];
}

/** Opens a document as a server, and connects a client. */
export async function open(
  document: string | object,
  options: OpenApiOptions = {},
  {
    revision = modernRevision,
    server: serverOptions = {},
  }: { revision?: Revision; server?: ServerOptions } = {},
): Promise<Opened> {
  const api = await startApi();
  const warnings: string[] = [];
  const source = await openapi(typeof document === "string" ? documentPath(document) : document, {
    server: api.url,
    onWarning: (message) => void warnings.push(message),
    ...options,
  });
  const server = new Server({ name: "s", version: "1.0.0" }, serverOptions);
  server.use(source);
  const client = new Client({ name: "c", version: "1.0.0" }, { revisions: [revision] });
  const [ours, theirs] = createInMemoryTransports();
  const [, session] = await Promise.all([server.connect(theirs), client.connect(ours)]);
  onTestFinished(async () => {
    await session.close();
    await server.close();
  });
  return { api, source, session, server, warnings };
}
