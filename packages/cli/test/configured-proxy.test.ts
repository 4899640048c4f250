import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { deadProxy } from "./dead-proxy.ts";
import { temporaryFolder, tenon } from "./support.ts";

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
