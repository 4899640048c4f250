import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { connect, type Server as NetServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { createScriptedAuthorization } from "@tenon/auth/testing";
import { systemClock } from "@tenon/base";
import { Server } from "@tenon/mcp";
import { createNodeListener } from "@tenon/node";
import { listenOnFreePort } from "@tenon/test-support/http";
import { createSSEHandler } from "@tenon/transports-sse";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { onTestFinished } from "vitest";

/** A folder that is deleted after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tenon-proxy-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const server = new Server({ name: "company", version: "1.0.0" });
server.addTool({ name: "echo", input: { type: "object" } }, ({ text: given }) => String(given));

/** The only name of the servers. It cannot be resolved: only the proxy knows where it leads. */
export const host = "mcp.corp.example";

/** A private authority, and a certificate of it for {@link host}. Made for each run. */
export interface Certificate {
  readonly authority: string;
  readonly key: string;
  readonly cert: string;
}

/** Makes a {@link Certificate} by `openssl`. @throws If there is no `openssl`. */
export function certificate(): Certificate {
  const folder = mkdtempSync(join(tmpdir(), "tenon-authority-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const at = (name: string): string => join(folder, name);
  const run = (...args: readonly string[]): void =>
    void execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
  const fresh = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  run("req", "-x509", ...fresh, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Private authority");
  run("req", ...fresh.slice(0, -2), "-keyout", "host.key", "-out", "host.csr", "-subj", `/CN=${host}`);
  writeFileSync(at("host.ext"), `subjectAltName=DNS:${host}\n`);
  run(
    ...["x509", "-req", "-in", "host.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial"],
    ...["-days", "2", "-extfile", "host.ext", "-out", "host.pem"],
  );
  return {
    authority: at("ca.pem"),
    key: readFileSync(at("host.key"), "utf8"),
    cert: readFileSync(at("host.pem"), "utf8"),
  };
}

function closing(http: NetServer & { closeAllConnections?(): void }): void {
  onTestFinished(() => {
    http.closeAllConnections?.();
    http.close();
  });
}

/**
 * The servers of a company: MCP over both transports, open or protected, and its authorization.
 */
export async function company(
  secure?: Certificate,
): Promise<{ readonly port: number; readonly origin: string }> {
  let listener = (_: IncomingMessage, response: ServerResponse): void => void response.end();
  const answer = (request: IncomingMessage, response: ServerResponse): void => listener(request, response);
  const http = secure === undefined ? createServer(answer) : createSecureServer(secure, answer);
  const port = await listenOnFreePort(http);
  closing(http);
  const origin = `${secure === undefined ? "http" : "https"}://${host}:${port}`;
  const allowed = { allowedHosts: [host] };
  const open = createNodeListener(createStreamableHandler({ getServer: () => server, ...allowed }));
  const sse = createNodeListener(createSSEHandler({ getServer: () => server, ...allowed }));
  const scripted = createScriptedAuthorization({
    clock: systemClock,
    server: `${origin}/protected`,
    issuer: origin,
    metadata: { jwks_uri: `${origin}/keys` },
  });
  const metadata = `${origin}/.well-known/oauth-protected-resource/protected`;
  const guarded = createNodeListener(
    createStreamableHandler({
      getServer: () => server,
      ...allowed,
      authenticate({ headers }) {
        const [, token = ""] = /^Bearer (.+)$/.exec(headers.get("authorization") ?? "") ?? [];
        const challenge = { "www-authenticate": `Bearer resource_metadata="${metadata}"` };
        return scripted.tokens.access(token) === undefined
          ? new Response("", { status: 401, headers: challenge })
          : { principal: "ada" };
      },
    }),
  );
  listener = (request, response) => {
    const [path = "/"] = (request.url ?? "/").split("?");
    if (path === "/mcp") {
      open(request, response);
    } else if (path === "/protected") {
      guarded(request, response);
    } else if (path === "/sse" || path === "/messages") {
      sse(request, response);
    } else if (path === "/keys") {
      response.writeHead(200, { "content-type": "application/json" }).end('{"keys":[]}');
    } else {
      void text(request).then(async (body) => {
        const found = await scripted.fetch(new URL(request.url ?? "/", origin), {
          method: request.method ?? "GET",
          headers: request.headers as Record<string, string>,
          ...(body === "" ? {} : { body }),
        });
        response.writeHead(found.status, Object.fromEntries(found.headers));
        response.end(await found.text());
      });
    }
  };
  return { port, origin };
}

/** A proxy of ours, which leads every name to this machine. */
export interface TestProxy {
  readonly url: string;
  /** What it was asked for: `GET http://…` or `CONNECT host:port`. */
  readonly seen: readonly string[];
}

/** Starts a {@link TestProxy}. @param credentials - `user:password` that it requires. */
export async function proxyServer(credentials?: string): Promise<TestProxy> {
  const seen: string[] = [];
  const expected = credentials && `Basic ${Buffer.from(credentials).toString("base64")}`;
  const isAllowed = ({ headers }: IncomingMessage): boolean =>
    expected === undefined || headers["proxy-authorization"] === expected;
  const http = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    const url = URL.canParse(request.url ?? "") ? new URL(request.url ?? "") : undefined;
    if (url === undefined || !isAllowed(request)) {
      response.writeHead(url === undefined ? 400 : 407, { "proxy-authenticate": "Basic" }).end();
      return;
    }
    const { "proxy-authorization": _, ...headers } = request.headers;
    const path = `${url.pathname}${url.search}`;
    const sent = forward(
      { host: "127.0.0.1", port: url.port, path, method: request.method, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    sent.on("error", () => response.destroy());
    response.on("close", () => sent.destroy());
    request.pipe(sent);
  });
  http.on("connect", (request: IncomingMessage, socket: Socket) => {
    seen.push(`CONNECT ${request.url}`);
    socket.on("error", () => {});
    if (!isAllowed(request)) {
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n");
      return;
    }
    const [, port] = (request.url ?? "").split(":");
    const up = connect(Number(port), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      up.pipe(socket);
      socket.pipe(up);
    });
    up.on("error", () => socket.destroy());
    socket.on("close", () => up.destroy());
  });
  const port = await listenOnFreePort(http);
  closing(http);
  return { url: `http://${credentials === undefined ? "" : `${credentials}@`}127.0.0.1:${port}`, seen };
}
