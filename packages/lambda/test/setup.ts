import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import type { LambdaEvent, LambdaResult } from "../src/index.ts";

/** Where events come from. */
export type Source = "function URL" | "REST API";

const host = "mcp.example.com";
/** The address of the client in all events. */
export const address = "203.0.113.7";

/** The event of a request, in the form that its source has. */
export function eventOf(source: Source, request: Request, body: string, isBase64 = true): LambdaEvent {
  const { pathname, search, searchParams } = new URL(request.url);
  const fields = Object.fromEntries([...request.headers, ["host", host]]);
  const sent = {
    body: body === "" ? null : isBase64 ? Buffer.from(body).toString("base64") : body,
    isBase64Encoded: body !== "" && isBase64,
  };
  if (source === "function URL") {
    return {
      version: "2.0",
      routeKey: "$default",
      rawPath: pathname,
      rawQueryString: search.slice(1),
      headers: fields,
      requestContext: {
        domainName: host,
        http: { method: request.method, path: pathname, protocol: "HTTP/1.1", sourceIp: address },
        stage: "$default",
      },
      ...sent,
    } as LambdaEvent;
  }
  const names = [...new Set(searchParams.keys())];
  return {
    resource: "/{proxy+}",
    path: pathname,
    httpMethod: request.method,
    headers: fields,
    multiValueHeaders: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, [value]])),
    queryStringParameters: null,
    multiValueQueryStringParameters:
      names.length === 0 ? null : Object.fromEntries(names.map((name) => [name, searchParams.getAll(name)])),
    requestContext: { domainName: host, stage: "prod", identity: { sourceIp: address } },
    ...sent,
  } as LambdaEvent;
}

interface Invocation {
  readonly event: LambdaEvent;
  readonly outgoing: ServerResponse;
}

/** Options of {@link deploy}. */
export interface DeployOptions {
  readonly source: () => Source;
  /** The timeout of the function, in milliseconds. */
  readonly timeoutMs?: () => number;
}

/**
 * Runs a function in a process of its own: a server speaks the Runtime API to it, and another one
 * passes HTTP requests on as events, as a function URL or API Gateway does.
 */
export async function deploy(
  file: string,
  { source, timeoutMs = () => 30_000 }: DeployOptions,
): Promise<{ readonly url: URL } & AsyncDisposable> {
  const waiting: Invocation[] = [];
  const running = new Map<string, ServerResponse>();
  let take: (() => void) | undefined;
  let invocations = 0;

  const runtimeApi = createServer((request, response) => {
    const [, id = ""] = /\/invocation\/([^/]+)\/response$/.exec(request.url ?? "") ?? [];
    const outgoing = running.get(id);
    if (outgoing !== undefined) {
      running.delete(id);
      void answer(request, outgoing).then(() => response.writeHead(202).end());
      return;
    }
    const hand = (): void => {
      const next = waiting.shift();
      if (next === undefined) {
        take = hand;
        return;
      }
      take = undefined;
      const requestId = `request-${++invocations}`;
      running.set(requestId, next.outgoing);
      response.setHeader("lambda-runtime-aws-request-id", requestId);
      response.setHeader("lambda-runtime-deadline-ms", String(Date.now() + timeoutMs()));
      response.end(JSON.stringify(next.event));
    };
    hand();
  });
  const front = createServer((incoming, outgoing) => {
    void textOf(incoming).then((body) => {
      const { method = "GET", headers, url = "/" } = incoming;
      const request = new Request(`https://${host}${url}`, {
        method,
        headers: headers as Record<string, string>,
      });
      waiting.push({ event: eventOf(source(), request, body), outgoing });
      take?.();
    });
  });
  const [api, url] = await Promise.all([runtimeApi, front].map(listen));
  const child = spawn(process.execPath, [new URL("fixtures/runtime.mjs", import.meta.url).pathname], {
    env: { AWS_LAMBDA_RUNTIME_API: api?.host, _HANDLER: new URL(`fixtures/${file}`, import.meta.url).href },
    stdio: ["ignore", "inherit", "inherit"],
  });
  return {
    url: new URL("/mcp", url),
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.kill();
      await ended;
      for (const server of [runtimeApi, front]) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

async function listen(server: ReturnType<typeof createServer>): Promise<URL> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of incoming.setEncoding("utf8")) {
    text += String(chunk);
  }
  return text;
}

/** Sends the response of a function to the client: as a whole, or as it arrives. */
async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  if (incoming.headers["lambda-runtime-function-response-mode"] !== "streaming") {
    send(outgoing, JSON.parse(await textOf(incoming)) as LambdaResult);
    return;
  }
  let head = "";
  let isOpen = false;
  for await (const chunk of incoming.setEncoding("utf8")) {
    if (isOpen) {
      outgoing.write(String(chunk));
      continue;
    }
    head += String(chunk);
    const end = head.indexOf("\0".repeat(8));
    if (end >= 0) {
      isOpen = true;
      writeHead(outgoing, JSON.parse(head.slice(0, end)) as LambdaResult);
      outgoing.flushHeaders();
      outgoing.write(head.slice(end + 8));
    }
  }
  outgoing.end();
}

function send(outgoing: ServerResponse, result: LambdaResult): void {
  writeHead(outgoing, result);
  outgoing.end(Buffer.from(result.body, result.isBase64Encoded ? "base64" : "utf8"));
}

function writeHead(outgoing: ServerResponse, { statusCode, headers, multiValueHeaders }: LambdaResult): void {
  for (const [name, value] of Object.entries({ ...headers, ...multiValueHeaders })) {
    outgoing.setHeader(name, value);
  }
  outgoing.writeHead(statusCode);
}
