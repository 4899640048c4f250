import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

import { describe, expect, onTestFinished, test } from "vitest";

import { certificate, company, host, proxyServer, temporaryFolder, type Certificate } from "./proxy-world.ts";

const program = fileURLToPath(new URL("fixtures/through-proxy.mjs", import.meta.url));
const bin = fileURLToPath(new URL("../../cli/dist/bin.js", import.meta.url));
const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

/**
 * Runs a program of the build as a user does, with nothing of the environment but what is given.
 */
async function run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const cwd = temporaryFolder();
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: cwd, XDG_DATA_HOME: cwd, XDG_CONFIG_HOME: cwd, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return out + err;
}

const secure = hasOpenssl ? certificate() : undefined;
const over = (isSecure: boolean) => {
  const own = isSecure ? secure : undefined;
  const extra: Record<string, string> = own === undefined ? {} : { NODE_EXTRA_CA_CERTS: own.authority };
  return { own, extra };
};

/** What uses the network, and the path of the server that it needs. */
const ways = [
  ["call", "/mcp"],
  ["sse", "/sse"],
  ["host", "/mcp"],
  ["login", "/protected"],
  ["keys", ""],
] as const;

/** What the program prints for the ways it was asked for, if all of them get through. */
const through = (some: readonly (readonly [string, string])[]): string =>
  some.map(([what]) => `${what} ${what === "keys" ? "ERR_JWKS_NO_MATCHING_KEY" : "through"}`).join("\n");

describe.each([
  ["http, by absolute URLs", false],
  ["https with a private authority, by tunnels", true],
] as const)("over %s", (_, isSecure) => {
  const each = isSecure && !hasOpenssl ? test.skip : test;
  const { own, extra } = over(isSecure);

  each("every way goes through the proxy of the environment", async () => {
    // Logins and keys need https.
    const some = isSecure ? ways : ways.slice(0, 3);
    const { origin, port } = await company(own);
    const args = [program, "", ...some.flatMap(([what, path]) => [what, `${origin}${path}`])];
    for (const names of [
      ["HTTP_PROXY", "HTTPS_PROXY"],
      ["http_proxy", "https_proxy"],
    ]) {
      const proxy = await proxyServer();
      const env = { ...extra, ...Object.fromEntries(names.map((name) => [name, proxy.url])) };
      const said = await run(args, { ...env, NO_PROXY: "127.0.0.1,localhost" });
      expect(said.replaceAll(/(?<=ERR_JWKS_NO_MATCHING_KEY).*/g, "").trim()).toBe(through(some));
      const asked = isSecure ? `CONNECT ${host}:${port}` : `${origin}/`;
      expect(proxy.seen.length).toBeGreaterThan(0);
      expect(proxy.seen.filter((one) => !one.includes(asked))).toEqual([]);
    }
    const proxy = await proxyServer();
    const env = { ...extra, HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url };
    for (const without of [{ NODE_USE_ENV_PROXY: "0" }, { NO_PROXY: `.corp.example:${port}` }]) {
      expect(await run(args, { ...env, ...without })).not.toMatch(/through|NO_MATCHING/);
    }
    expect(proxy.seen).toEqual([]);
  });

  each("credentials of the proxy are sent to it, and their lack is named", async () => {
    const { origin } = await company(own);
    const proxy = await proxyServer("ada:secret");
    const bare = proxy.url.replace("ada:secret@", "");
    const env = (url: string) => ({ ...extra, HTTP_PROXY: url, HTTPS_PROXY: url });
    expect(await run([program, "", "call", `${origin}/mcp`], env(proxy.url))).toBe("call through\n");
    const refused = await run([program, "", "call", `${origin}/mcp`], env(bare));
    expect(refused).toContain(`The proxy ${bare} requires credentials`);
    const wrong = await run(
      [program, "", "call", `${origin}/mcp`],
      env(proxy.url.replace("secret", "wrong")),
    );
    expect(wrong).toContain("requires credentials");
    expect(wrong).not.toContain("wrong");
  });

  each("a proxy that is chosen replaces those of the environment", async () => {
    const { origin } = await company(own);
    const [right, wrong] = [await proxyServer(), await proxyServer()];
    const env = { ...extra, HTTP_PROXY: wrong.url, HTTPS_PROXY: wrong.url, NO_PROXY: "*" };
    const some = ways.slice(0, 3);
    const all = some.flatMap(([what, path]) => [what, `${origin}${path}`]);
    expect((await run([program, right.url, ...all], env)).trim()).toBe(through(some));
    expect(wrong.seen).toEqual([]);
    const direct = { ...extra, HTTP_PROXY: wrong.url, HTTPS_PROXY: wrong.url };
    const said = await run([program, "none", ...all], direct);
    expect(said.match(/FAILED.*(?:ENOTFOUND|EAI_AGAIN)/g)).toHaveLength(some.length);
    expect(wrong.seen).toEqual([]);
  });

  each("the command line obeys --proxy, --no-proxy and the environment", async () => {
    const { origin } = await company(own);
    const proxy = await proxyServer();
    const env = { ...extra, HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url };
    const list = [bin, "tools", `${origin}/mcp`];
    expect(await run(list, env)).toContain("echo()");
    expect(await run([...list, "--proxy", proxy.url], extra)).toContain("echo()");
    expect(await run([bin, "auth", "explain", `${origin}/protected`, "--proxy", proxy.url], extra)).toContain(
      "oauth-authorization-server describes",
    );
    const before = proxy.seen.length;
    expect(await run([...list, "--no-proxy"], env)).toMatch(/ENOTFOUND|EAI_AGAIN/);
    expect(proxy.seen.length).toBe(before);
  });
});

// A proxy with credentials that decrypts nothing, and servers with certificates of a private
// authority: what most companies have. Requests over http go to the proxy in another way.
describe.each<readonly [string, Certificate | undefined]>([
  ["over http", undefined],
  ...(secure === undefined ? [] : [["over https", secure] as const]),
])("the command line %s, by a proxy with credentials", (_, own) => {
  const extra: Record<string, string> = own === undefined ? {} : { NODE_EXTRA_CA_CERTS: own.authority };
  const world = async () => {
    const { origin } = await company(own);
    const proxy = await proxyServer("ada:secret");
    const env = { ...extra, HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url };
    return { origin, proxy, env };
  };

  test("tap passes requests on, obeys NO_PROXY, and names a proxy that refuses it", async () => {
    const { origin, proxy, env } = await world();
    const direct = { ...env, NO_PROXY: ".corp.example" };
    const bare = proxy.url.replace("ada:secret@", "");
    const ask = async (variables: Readonly<Record<string, string>>, ...flags: readonly string[]) => {
      const { url } = await start(["tap", `${origin}/mcp`, "--http", ...flags], variables);
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
        body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      });
      return `${response.status} ${await response.text()}`;
    };
    const [through, besides, refused, chosen] = await Promise.all([
      ask(env),
      ask(direct),
      ask({ ...env, HTTP_PROXY: bare, HTTPS_PROXY: bare }),
      ask(direct, "--proxy", proxy.url),
    ]);
    expect(through).toMatch(/^200 .*"result":\{\}/s);
    expect(chosen).toMatch(/^200 .*"result":\{\}/s);
    expect(besides).toMatch(/^502 .*(ENOTFOUND|EAI_AGAIN)/s);
    expect(refused).toContain(`the proxy ${bare} requires credentials`);
    expect(proxy.seen).toHaveLength(3);
  });

  test("doctor, inspect and servers of a configuration file are led through", async () => {
    const { origin, proxy, env } = await world();
    const inspecting = await proxyServer("ada:secret");
    const file = join(temporaryFolder(), "mcp.json");
    const server = { type: "http", url: `${origin}/mcp` };
    const mcpServers = {
      one: server,
      two: { ...server, proxy: proxy.url },
      three: { ...server, proxy: false },
    };
    writeFileSync(file, JSON.stringify({ mcpServers }));
    const dead = { ...env, HTTP_PROXY: "http://127.0.0.1:9", HTTPS_PROXY: "http://127.0.0.1:9" };
    const named = (name: string, variables: Readonly<Record<string, string>>) =>
      run([bin, "tools", name, "--config", file], variables);
    const [doctor, one, two, three, inspected] = await Promise.all([
      run([bin, "doctor", `${origin}/mcp`], env),
      named("one", env),
      named("two", dead),
      named("three", env),
      start(["inspect", `${origin}/mcp`, "--no-open", "--proxy", inspecting.url], env).then(({ url }) =>
        connectPage(url),
      ),
    ]);
    expect(doctor).toContain("0 failed");
    expect(one).toContain("echo()");
    expect(two).toContain("echo()");
    expect(three).toMatch(/ENOTFOUND|EAI_AGAIN/);
    expect(inspected).toBe(200);
    expect(inspecting.seen.length).toBeGreaterThan(0);
  });
});

/** Starts a command that prints its address, and ends it after the test. */
async function start(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly url: string }> {
  const cwd = temporaryFolder();
  const child = spawn(process.execPath, [bin, ...args], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: cwd, XDG_DATA_HOME: cwd, XDG_CONFIG_HOME: cwd, ...env },
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await (child.exitCode ?? once(child, "exit"));
  });
  for await (const line of createInterface({ input: child.stdout })) {
    return { url: line.trim() };
  }
  throw new Error(`tenon ${args.join(" ")} printed no address.`);
}

/** Logs in at the page of the inspector, and has it connect. Returns the status. */
async function connectPage(link: string): Promise<number> {
  const { origin, hash } = new URL(link);
  const headers = { origin, "sec-fetch-site": "same-origin", "content-type": "application/json" };
  const body = hash.replace("#code=", "");
  const session = await fetch(`${origin}/session`, { method: "POST", headers, body });
  const { key } = (await session.json()) as { readonly key: string };
  const cookie = session.headers.get("set-cookie")?.split(";")[0] ?? "";
  const acted = await fetch(`${origin}/action`, {
    method: "POST",
    headers: { ...headers, cookie, "x-inspector-key": key },
    body: JSON.stringify({ do: "connect" }),
  });
  await acted.body?.cancel();
  return acted.status;
}

(hasOpenssl ? test : test.skip)("an unknown authority is named, with the variable that adds it", async () => {
  const { origin } = await company(secure);
  const proxy = await proxyServer();
  const both = ["call", `${origin}/mcp`, "login", `${origin}/protected`];
  const said = await run([program, "", ...both], { HTTPS_PROXY: proxy.url });
  expect(said.match(/^(?:call|login) FAILED.*NODE_EXTRA_CA_CERTS/gm)).toHaveLength(2);
});

test("a proxy that cannot be reached, or is no proxy, is named", async () => {
  const { origin, port } = await company();
  const dead = { HTTP_PROXY: "http://user:pass@127.0.0.1:9", HTTPS_PROXY: "socks5://127.0.0.1:9" };
  const said = await run([program, "", "call", `${origin}/mcp`], dead);
  expect(said).toContain("The proxy http://127.0.0.1:9 cannot be reached");
  expect(said).not.toContain("pass");
  const socks = await run([program, "", "call", "https://mcp.corp.example/mcp"], dead);
  expect(socks).toContain(
    "HTTPS_PROXY must be the URL of a proxy that starts with http:// or https://; got the scheme socks5:",
  );
  // A server that answers a request for a tunnel as any other request.
  const server = { HTTPS_PROXY: `http://127.0.0.1:${port}` };
  expect(await run([program, "", "call", "https://mcp.corp.example/mcp"], server)).toMatch(
    /The proxy http:\/\/127\.0\.0\.1:\d+ /,
  );
});
