import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import type { Request } from "@tenon/jsonrpc2";
import { Client, type ClientOptions, type ClientSession } from "@tenon/sdk/client";
import { StreamableClientTransport, type StreamableClientOptions } from "@tenon/sdk/http";
import { CommandTransport } from "@tenon/sdk/stdio";
import { legacyRevision } from "@tenon/test-support";
import { originOnFreePort } from "@tenon/test-support/http";

/** What a server says to a request: the properties of the response, or nothing at all. */
export type Says = Readonly<Record<string, object>>;

/** The responses of an ordinary legacy server with one tool. */
export const ordinary: Says = {
  initialize: {
    result: {
      protocolVersion: legacyRevision,
      capabilities: { tools: {} },
      serverInfo: { name: "other", version: "1" },
    },
  },
  "tools/list": { result: { tools: [{ name: "t", inputSchema: { type: "object" } }] } },
  "tools/call": { result: { content: [{ type: "text", text: "done" }] } },
  ping: { result: {} },
};

const unknownMethod = { error: { code: -32601, message: "Method not found" } };

/** Returns what a server says to a method. */
export function saidTo(says: Says, method: string): object {
  return { ...ordinary, ...says }[method] ?? unknownMethod;
}

/** A server over HTTP, which responds as `says` tells, or as `handle` does by itself. */
export async function serve(
  says: Says,
  handle?: (message: Request, response: ServerResponse, request: IncomingMessage) => boolean,
) {
  const seen: string[] = [];
  const http = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    request.on("end", () => {
      const message = (text === "" ? { method: request.method } : JSON.parse(text)) as Request;
      seen.push(message.method);
      if (handle?.(message, response, request) === true) {
        return;
      }
      if (request.method !== "POST") {
        response.writeHead(405).end();
      } else if (message.id === undefined) {
        response.writeHead(202).end();
      } else {
        const said = { jsonrpc: "2.0", id: message.id, ...saidTo(says, message.method) };
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(said));
      }
    });
  });
  const origin = await originOnFreePort(http);
  return {
    url: `${origin}/mcp`,
    seen,
    [Symbol.asyncDispose]: () => {
      http.closeAllConnections();
      http.close();
      return Promise.resolve();
    },
  };
}

/** A client over HTTP, and what it has reported. */
export async function connectTo(
  url: string,
  options: ClientOptions = {},
  transport: StreamableClientOptions = {},
): Promise<{ readonly session: ClientSession; readonly reported: string[] } & AsyncDisposable> {
  const reported: string[] = [];
  const client = new Client(
    { name: "test", version: "1" },
    { onError: (error) => reported.push(String(error)), ...options },
  );
  const warned = (message: string): void => void reported.push(message);
  const http = new StreamableClientTransport(url, { eras: false, onWarning: warned, ...transport });
  const session = await client.connect(http);
  return { session, reported, [Symbol.asyncDispose]: () => client.close() };
}

/** A program that responds as `says` tells. `{}` stands for no response. */
export function program(says: Says): CommandTransport {
  const body = `
    const said = saidTo(method);
    if (id !== undefined && Object.keys(said).length > 0) {
      say({ id, ...said });
    }`;
  return scriptOf(body, says);
}

/**
 * A program that handles each message by `body`, which uses its `id`, `method` and `params`. It
 * calls `say` to send a message, and `saidTo` for an ordinary response.
 */
export function scriptOf(body: string, says: Says = {}): CommandTransport {
  const code = `
    const says = ${JSON.stringify({ ...ordinary, ...says })};
    const saidTo = (method) => says[method] ?? ${JSON.stringify(unknownMethod)};
    const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
    const { createInterface } = await import("node:readline");
    for await (const line of createInterface({ input: process.stdin })) {
      const { id, method, params } = JSON.parse(line);
      ${body}
    }`;
  return new CommandTransport({ command: process.execPath, args: ["--input-type=module", "-e", code] });
}
