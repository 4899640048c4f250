import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { systemClock } from "@tenon/base";
import { authorizationCode, memoryStore } from "@tenon/sdk/auth/client";
import { createScriptedAuthorization, type ScriptedAuthorization } from "@tenon/sdk/auth/testing";
import { expect, test } from "vitest";

import { createHost, createService, createWebHost } from "./guide/authorization.ts";

test("the service of docs/authorization.md authorizes itself", async () => {
  const scripted = createScriptedAuthorization({ clock: systemClock });
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = privateKey.export({ format: "pem", type: "pkcs8" }) as string;
  const { server, issuer, fetch } = scripted;
  await using auth = createService(server, issuer, key, fetch);
  expect(await scripted.call(auth)).toMatchObject({ status: 200 });
  expect(scripted.of("authorize")).toEqual([]);
  const [request] = scripted.of("token");
  expect(request?.parameters.get("grant_type")).toBe("client_credentials");
});

test("the web application of docs/authorization.md keeps its users apart, in several processes", async () => {
  const scripted = createScriptedAuthorization({ clock: systemClock });
  const store = memoryStore();
  const create = (): ReturnType<typeof createWebHost> =>
    createWebHost(scripted.server, store, scripted.fetch);
  expect((await scripted.call(undefined)).status).toBe(401);
  const page = await create().startLogin("ada");
  const redirected = await scripted.fetch(new URL(page), { method: "GET" });
  const callback = new URL(redirected.headers.get("location") ?? "");
  // another user cannot finish the login.
  await expect(create().finishLogin("bob", callback)).rejects.toMatchObject({ code: "RESPONSE_INVALID" });
  await create().finishLogin("ada", callback);
  expect((await scripted.call(create().authOf("ada"))).status).toBe(200);
  await expect(scripted.call(create().authOf("bob"))).rejects.toMatchObject({ code: "NEEDS_USER" });
});

test("the host of docs/authorization.md logs in when its user clicks", async () => {
  let scripted: ScriptedAuthorization | undefined;
  const http = createServer((request, response) => {
    void (async () => {
      const { method = "GET", headers, url = "" } = request;
      const init = { method, headers: headers as Record<string, string> };
      const answer = await scripted?.fetch(new URL(url, `http://${headers.host}`), init);
      response.writeHead(answer?.status ?? 503, Object.fromEntries(answer?.headers ?? []));
      response.end(await answer?.text());
    })();
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  scripted = createScriptedAuthorization({ clock: systemClock, server: url });
  const printed: string[] = [];
  const shared = {
    store: memoryStore(),
    grant: authorizationCode(scripted.browser()),
    fetch: scripted.fetch,
    guard: () => {},
  };
  const { manager, click } = createHost({ far: { type: "http", url } }, shared, (line) => printed.push(line));
  await manager.connectAll();
  expect(printed).toEqual(["far requires a login."]);
  expect(scripted.of("authorize")).toEqual([]);
  // The scripted server admits the host then, but does not speak the protocol.
  await expect(click()).rejects.toMatchObject({ code: "CONNECT_FAILED" });
  expect(scripted.of("authorize")).toHaveLength(1);
  await manager.close();
  http.closeAllConnections();
  http.close();
});
