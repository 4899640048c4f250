import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server as HttpServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { Server } from "@tenon/mcp";
import { originOnFreePort } from "@tenon/test-support/http";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, test } from "vitest";

import { Manager, type StdioSpec } from "../src/index.ts";
import { loadConfig, nodeTransports, selectServers, staticToken } from "../src/node.ts";
import { once } from "./fixture.ts";
import { fixture, rememberingLauncher } from "./processes.ts";

const everythingMain = join(
  dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/package.json")),
  "dist/index.js",
);
const everything: StdioSpec = { type: "stdio", command: process.execPath, args: [everythingMain, "stdio"] };

test("S-216, S-254, S-256, S-259, S-284, S-285: the reference server over stdio, twice, as one", async () => {
  const launcher = rememberingLauncher();
  const manager = new Manager({
    servers: { one: everything, two: everything },
    transports: nodeTransports({ launcher }),
  });
  expect((await manager.connectAll()).ready).toEqual(["one", "two"]);
  const tools = await manager.tools();
  expect(tools.map(({ name }) => name)).toContain("mcp__two__echo");
  expect(tools).toHaveLength(2 * new Set(tools.map(({ tool }) => tool.name)).size);
  const echoed = await manager.callToolByName("mcp__two__echo", { message: "hello" });
  expect(echoed.content).toMatchObject([{ type: "text", text: expect.stringContaining("hello") }]);
  expect((await manager.prompts()).length).toBeGreaterThan(0);
  const [resource] = await manager.resources();
  const uri = resource?.resource.uri ?? "";
  const read = await manager.readResource("one", uri);
  expect(read.contents[0]).toMatchObject({ uri });
  expect(await manager.readResource("one", uri)).toBe(read);
  expect(manager.snapshot.get("one")).toMatchObject({
    state: "ready",
    serverInfo: { name: expect.any(String) },
  });
  await manager.close();
  expect(launcher.children.map((child) => child.alive())).toEqual([false, false]);
});

test("a server that is killed again and again comes back, and no process is left", async () => {
  const launcher = rememberingLauncher();
  const manager = new Manager({
    servers: { a: { type: "stdio", command: process.execPath, args: [fixture("server")] } },
    transports: nodeTransports({ launcher }),
    reconnect: { initialDelayMs: 1, maxCrashes: 10 },
  });
  await manager.connectAll();
  for (let kill = 1; kill <= 3; kill++) {
    const back = once(manager, "mcp_reconnected");
    launcher.children.at(-1)?.kill("SIGKILL");
    expect(await back).toMatchObject({ server: "a" });
    expect((await manager.callTool("a", "pid")).content).toEqual([
      { type: "text", text: String(launcher.children.at(-1)?.pid) },
    ]);
  }
  await manager.close();
  expect(launcher.children).toHaveLength(4);
  expect(launcher.children.map((child) => child.alive())).toEqual([false, false, false, false]);
});

test("the last lines of standard error stand in the error of a program that fails, and nothing of our environment is passed on", async () => {
  process.env["HOST_TEST_SECRET"] = "do not pass";
  const lines: string[] = [];
  await using manager = new Manager({
    servers: {
      broken: { type: "stdio", command: process.execPath, args: [fixture("server"), "--fail"] },
      missing: { type: "stdio", command: "no-such-program-anywhere" },
    },
    transports: nodeTransports({ onStderr: (server, line) => lines.push(`${server}: ${line}`) }),
  });
  const { failed } = await manager.connectAll();
  delete process.env["HOST_TEST_SECRET"];
  expect(failed.get("broken")).toMatchObject({
    code: "CONNECT_FAILED",
    message: expect.stringContaining("secret: none"),
  });
  expect(failed.get("missing")).toMatchObject({
    code: "CONNECT_FAILED",
    message: expect.stringContaining("no-such-program"),
  });
  expect(lines).toContain("broken: secret: none");
});

test("a configuration file is read, with variables and places, and its servers are used", async () => {
  const folder = await mkdtemp(join(tmpdir(), "host-"));
  const file = join(folder, "mcp.json");
  await writeFile(
    file,
    JSON.stringify({
      mcpServers: { a: { command: "${NODE}", args: [fixture("server")], cwd: "${workspaceFolder}" } },
    }),
  );
  const config = await loadConfig(file, { env: { NODE: process.execPath } });
  const manager = new Manager({ ...selectServers(config), transports: nodeTransports() });
  expect((await manager.connectAll()).ready).toEqual(["a"]);
  await manager.close();
  await rm(folder, { recursive: true });
  await expect(loadConfig(file)).rejects.toMatchObject({
    code: "INVALID_CONFIG",
    message: `${file} does not exist.`,
  });
});

test("a command with arguments in it is not run, and the error says where they belong", async () => {
  const command = `${process.execPath} server.js`;
  await using manager = new Manager({
    servers: { notes: { type: "stdio", command } },
    transports: nodeTransports(),
  });
  const { failed } = await manager.connectAll();
  expect(failed.get("notes")?.message).toMatch(/could not be started\. Put arguments into args\./);
});

test.runIf(process.platform === "linux")("devices are no configuration files and no envFiles", async () => {
  await expect(loadConfig("/dev/zero")).rejects.toMatchObject({
    code: "INVALID_CONFIG",
    message: "/dev/zero cannot be read: It is not a regular file.",
    cause: { message: "It is not a regular file." },
  });
  const folder = await mkdtemp(join(tmpdir(), "host-"));
  const file = join(folder, "mcp.json");
  await writeFile(file, JSON.stringify({ mcpServers: { a: { command: "a", envFile: "/dev/zero" } } }));
  const { servers, errors } = await loadConfig(file);
  expect(servers).toEqual([]);
  expect(errors.get("a")).toMatchObject({
    code: "INVALID_CONFIG",
    message: "The envFile cannot be read: It is not a regular file.",
  });
  await rm(folder, { recursive: true });
});

test("S-242, S-244: remote servers are asked with the headers of an auth provider; without, they need auth", async () => {
  const seen: (string | undefined)[] = [];
  const http: HttpServer = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(401, { "www-authenticate": "Bearer" }).end();
  });
  const origin = await originOnFreePort(http);
  const url = `${origin}/mcp`;
  await using manager = new Manager({
    servers: { plain: { type: "http", url }, own: { type: "http", url, auth: staticToken("abc") } },
    transports: nodeTransports(),
  });
  const required: string[] = [];
  manager.on("auth_required", ({ server }) => required.push(server));
  const { failed } = await manager.connectAll();
  expect([...failed.keys()]).toEqual(["own", "plain"]);
  expect(required.toSorted()).toEqual(["own", "plain"]);
  expect(manager.snapshot.get("own")?.state).toBe("needs_auth");
  expect(new Set(seen)).toEqual(new Set([undefined, "Bearer abc"]));
  http.closeAllConnections();
  http.close();
});

test("a server that wants to know who asks is connected to when the host can say so, and tells nobody before", async () => {
  let token: string | undefined;
  const server = new Server({ name: "private", version: "1.0.0" });
  server.addTool({ name: "secret" }, () => "for you alone");
  const handler = createStreamableHandler({ getServer: () => server });
  const http: HttpServer = createServer((request, response) => {
    if (request.headers.authorization === "Bearer good") {
      void handler.node(request, response, {});
    } else {
      response.writeHead(401, { "www-authenticate": "Bearer" }).end();
    }
  });
  const origin = await originOnFreePort(http);
  const url = `${origin}/mcp`;
  const auth = { headers: () => (token === undefined ? undefined : { authorization: `Bearer ${token}` }) };
  const manager = new Manager({
    servers: { private: { type: "http", url } },
    transports: nodeTransports({
      auth: (name, spec) => (name === "private" && spec.url === url ? auth : undefined),
    }),
  });
  const required = once(manager, "auth_required");
  await manager.connectAll();
  expect(await required).toMatchObject({ server: "private" });
  expect(manager.snapshot.get("private")?.state).toBe("needs_auth");
  expect(await manager.tools()).toEqual([]);
  await expect(manager.callTool("private", "secret")).rejects.toMatchObject({
    code: "SERVER_GONE",
    delivered: "no",
  });
  token = "good";
  await manager.connect("private");
  expect(manager.snapshot.get("private")?.state).toBe("ready");
  expect((await manager.callToolByName("mcp__private__secret")).content).toMatchObject([
    { text: "for you alone" },
  ]);
  await manager.close();
  await handler.close({ drainMs: 0 });
  http.closeAllConnections();
  http.close();
});
