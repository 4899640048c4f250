import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { temporaryFolder, tenon } from "./support.ts";

/** A proxy that ends every connection. */
async function deadProxy(): Promise<{ readonly url: string; connections(): number }> {
  let connections = 0;
  const proxy = createServer((socket) => {
    connections++;
    socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => void proxy.close());
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, connections: () => connections };
}

// A name that no server has: only a proxy could resolve it.
const url = "http://behind-a-proxy.invalid/mcp";

test.each([
  ["tools", "web"],
  ["auth explain", "web"],
  ["doctor", "web"],
  ["login", "web", "--no-browser"],
  ["connect", "web"],
])("tenon %s uses the proxy of a configured server, unless --no-proxy is set", async (words, ...args) => {
  const proxy = await deadProxy();
  const cwd = temporaryFolder();
  writeFileSync(
    join(cwd, "servers.json"),
    JSON.stringify({ mcpServers: { web: { type: "http", url, proxy: proxy.url } } }),
  );
  const env = { XDG_RUNTIME_DIR: cwd };
  const argv = [...words.split(" "), ...args, "--config", "servers.json"];
  expect((await tenon(argv, { cwd, env })).code).not.toBe(0);
  const used = proxy.connections();
  expect(used).toBeGreaterThan(0);
  await tenon([...argv, "--no-proxy"], { cwd, env });
  expect(proxy.connections()).toBe(used);
});

test("a kept connection uses the proxy of the option", async () => {
  const proxy = await deadProxy();
  const cwd = temporaryFolder();
  const { code } = await tenon(["connect", url, "--name", "web", "--proxy", proxy.url], {
    cwd,
    env: { XDG_RUNTIME_DIR: cwd },
  });
  expect(code).not.toBe(0);
  expect(proxy.connections()).toBeGreaterThan(0);
});
