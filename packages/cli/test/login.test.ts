import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import { createScriptedAuthorization } from "@tenon/auth/testing";
import { systemClock } from "@tenon/jsonrpc2";
import { createNodeListener } from "@tenon/node";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, onTestFinished, test } from "vitest";

import { server } from "./fixtures/notes.ts";
import { temporaryFolder, tenon, type Ran } from "./support.ts";

/** An MCP server with its authorization server, which agrees to every login. */
async function protectedServer(): Promise<string> {
  const http = createServer().listen(0, "127.0.0.1");
  await once(http, "listening");
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const scripted = createScriptedAuthorization({
    clock: systemClock,
    server: `${origin}/mcp`,
    issuer: origin,
  });
  const handler = createStreamableHandler({
    getServer: () => server,
    authenticate({ headers }) {
      const [, token = ""] = /^Bearer (.+)$/.exec(headers.get("authorization") ?? "") ?? [];
      return scripted.tokens.access(token) === undefined
        ? new Response("", {
            status: 401,
            headers: {
              "www-authenticate": `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
            },
          })
        : { principal: "ada" };
    },
  });
  const mcp = createNodeListener(handler);
  http.on("request", (request, response) => {
    if (request.url === "/mcp") {
      mcp(request, response);
      return;
    }
    void text(request).then(async (body) => {
      const { method = "GET", headers, url = "/" } = request;
      const answer = await scripted.fetch(new URL(url, origin), {
        method,
        headers: headers as Record<string, string>,
        ...(body === "" ? {} : { body }),
      });
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(await answer.text());
    });
  });
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return `${origin}/mcp`;
}

/** A person who opens the page that `tenon login` names. */
async function login(url: string, cwd: string, ...flags: readonly string[]): Promise<Ran> {
  return tenon(["login", url, "--no-browser", ...flags], {
    cwd,
    onWrite(stream, written) {
      const [page] = /http:\S+\/authorize\?\S+/.exec(written) ?? [];
      if (stream === "stderr" && page !== undefined) {
        void fetch(page);
      }
    },
  });
}

test("a login is used by later commands, belongs to its profile, and ends with logout", async () => {
  const url = await protectedServer();
  const cwd = temporaryFolder();
  expect((await tenon(["tools", url], { cwd })).code).toBe(4);
  const loggedIn = await login(url, cwd);
  expect(loggedIn).toMatchObject({ code: 0, stdout: expect.stringContaining("Logged in at") });
  expect((await tenon(["tools", url], { cwd })).stdout).toContain("echo()");
  expect((await tenon(["tools", url, "--profile", "other"], { cwd })).code).toBe(4);

  expect((await tenon(["logout", url, "--profile", "other"], { cwd })).code).toBe(0);
  expect((await tenon(["tools", url], { cwd })).code).toBe(0);
  expect((await tenon(["logout", url], { cwd })).stdout).toBe(`Logged out at ${url}.\n`);
  expect((await tenon(["tools", url], { cwd })).code).toBe(4);
});

test("auth explain follows each step of the discovery without a login", async () => {
  const url = await protectedServer();
  const { code, stdout } = await tenon(["auth", "explain", url, "--json"], { cwd: temporaryFolder() });
  expect(code).toBe(0);
  expect(stdout).toContain("/.well-known/oauth-protected-resource/mcp describes");
  expect(stdout).toContain("/.well-known/oauth-authorization-server describes");
});
