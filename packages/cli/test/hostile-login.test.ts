import { createServer } from "node:http";

import { originOnFreePort } from "@tenon/test-support/http";
import { expect, onTestFinished, test } from "vitest";

import { hostileText as bad, obeyed } from "./obeyed.ts";
import { temporaryFolder, tenon } from "./support.ts";

/** The place at which an authorization server answers with hostile texts. */
type Stage = "challenge" | "resource" | "metadata" | "registration" | "redirect" | "token" | "done";

/** An MCP server and its authorization server, whose texts are hostile from one stage on. */
async function hostileAuthorization(stage: Stage): Promise<string> {
  let origin = "";
  const http = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", origin);
    const json = (status: number, body: object): void =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    const refused = { error: bad, error_description: bad, error_uri: bad };
    request.resume();
    if (pathname.startsWith("/.well-known/oauth-protected-resource")) {
      json(stage === "resource" ? 400 : 200, {
        resource: stage === "resource" ? bad : `${origin}/mcp`,
        resource_name: bad,
        authorization_servers: stage === "resource" ? [bad] : [origin],
        scopes_supported: [bad, "read"],
        ...(stage === "resource" ? refused : {}),
      });
    } else if (pathname.startsWith("/.well-known/")) {
      json(200, {
        issuer: stage === "metadata" ? `${origin}/${bad}` : origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        service_documentation: bad,
      });
    } else if (pathname === "/register") {
      json(stage === "registration" ? 400 : 201, {
        client_id: "c",
        client_name: bad,
        ...(stage === "registration" ? refused : {}),
      });
    } else if (pathname === "/authorize") {
      const back = new URL(searchParams.get("redirect_uri") ?? "");
      const answer = stage === "redirect" ? refused : { code: "code" };
      for (const [name, value] of Object.entries({ ...answer, state: searchParams.get("state") ?? "" })) {
        back.searchParams.set(name, value);
      }
      response.writeHead(302, { location: back.href }).end();
    } else if (pathname === "/token") {
      const tokens = { access_token: "a", token_type: "Bearer", scope: bad, expires_in: 3600 };
      json(stage === "token" ? 400 : 200, stage === "token" ? refused : tokens);
    } else {
      // A header has no other control characters than these of Latin-1.
      const sendable = Array.from(bad)
        .filter((each) => each >= " " && each <= "\u00ff")
        .join("");
      const text = stage === "challenge" ? sendable : "insufficient";
      response
        .writeHead(request.headers.authorization === undefined ? 401 : 403, {
          "www-authenticate": `Bearer error="${text}", error_description="${text}", scope="read ${text}", resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
        })
        .end(bad);
    }
  });
  origin = await originOnFreePort(http);
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return `${origin}/mcp`;
}

test.each<Stage>(["challenge", "resource", "metadata", "registration", "redirect", "token", "done"])(
  "no text of an authorization server reaches the terminal as it is: %s",
  async (stage) => {
    const url = await hostileAuthorization(stage);
    const cwd = temporaryFolder();
    const ran = async (...argv: readonly string[]): Promise<number> => {
      const { code, stdout, stderr } = await tenon([...argv, "--verbose"], {
        cwd,
        onWrite(_, written) {
          const [page] = /http:\S+\/authorize\?\S+/.exec(written) ?? [];
          if (page !== undefined) {
            void fetch(page).catch(() => {});
          }
        },
      });
      expect(stdout + stderr).not.toBe("");
      expect(obeyed.exec(stdout + stderr), argv.join(" ")).toBeNull();
      return code;
    };
    expect((await ran("login", url, "--no-browser")) === 0).toBe(
      !["metadata", "registration", "redirect", "token"].includes(stage),
    );
    await ran("tools", url);
    await ran("auth", "explain", url);
    await ran("auth", "status");
    await ran("doctor", url);
    await ran("logout", url);
  },
);
