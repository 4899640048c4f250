import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { Server as NetServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { createScriptedAuthorization } from "@tenon/auth/testing";
import { systemClock } from "@tenon/base";
import { Server } from "@tenon/mcp";
import { createNodeListener } from "@tenon/node";
import { listenOnFreePort } from "@tenon/test-support/http";
import { startHttpProxy, type HttpProxy } from "@tenon/test-support/http-proxy";
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

/** Starts an {@link HttpProxy}. @param credentials - `user:password` that it requires. */
export async function proxyServer(credentials?: string): Promise<HttpProxy> {
  const proxy = await startHttpProxy(credentials);
  onTestFinished(() => proxy[Symbol.dispose]());
  return proxy;
}
