import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { createNodeListener } from "@tenon/node";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, onTestFinished, test } from "vitest";

import { Keeper } from "../src/daemon/keeper.ts";
import { server } from "./fixtures/notes.mjs";
import { invocationUntil } from "./invocation.ts";

const profile = "default";

/** A server that needs no login, and the name of its host in capitals. */
async function openServer(): Promise<{ readonly url: string; readonly spelled: string }> {
  const mcp = createNodeListener(createStreamableHandler({ getServer: () => server }));
  const http = createServer(mcp).listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const { port } = http.address() as AddressInfo;
  return { url: `http://localhost:${port}/mcp`, spelled: `http://LOCALHOST:${port}/mcp` };
}

function keeperOf(): Keeper {
  const keeper = new Keeper(invocationUntil(new AbortController().signal));
  onTestFinished(() => keeper.close());
  return keeper;
}

test("a logout ends the connections that use its login, and none with an authorization of its own", async () => {
  const { url, spelled } = await openServer();
  const keeper = keeperOf();
  const open = (name: string, headers?: Readonly<Record<string, string>>, of = profile): Promise<object> =>
    keeper.open({ name, label: name, spec: { type: "http", url, headers }, ttlMs: 60_000, profile: of });
  await open("uses");
  await open("own", { AUTHORIZATION: "Bearer own" });
  await open("other", { "x-tenant": "blue" }, "other");
  expect(await keeper.endLogin({ url: spelled, profile })).toEqual(["uses"]);
  expect(keeper.list()).toMatchObject([{ name: "own" }, { name: "other" }]);
});

test("a logout ends the connections that are being opened with its login", async () => {
  // It accepts connections and sends nothing.
  const silent = createServer(() => {}).listen(0, "127.0.0.1");
  await once(silent, "listening");
  onTestFinished(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/mcp`;
  const keeper = keeperOf();
  const opening = keeper
    .open({ name: "uses", label: "uses", spec: { type: "http", url }, ttlMs: 60_000 })
    .catch((error: unknown) => error);
  await once(silent, "request");
  expect(await keeper.endLogin({ url, profile })).toEqual(["uses"]);
  expect(String(await opening)).toContain("@uses is not connected: its user has logged out.");
  expect(keeper.list()).toEqual([]);
});
