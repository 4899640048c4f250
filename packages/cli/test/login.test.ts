import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { fileStore } from "@tenon/auth/node";
import { deferred } from "@tenon/test-support";
import { describe, expect, onTestFinished, test, vi } from "vitest";

import { readLogins, rememberLogin } from "../src/auth/logins.ts";
import { Interrupted } from "../src/shell.ts";
import { deadProxy } from "./dead-proxy.ts";
import { protectedServer } from "./protected-server.ts";
import { json, temporaryFolder, tenon, type Ran } from "./support.ts";

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
  expect(loggedIn).toMatchObject({ code: 0, stdout: expect.stringContaining(", with the scope read.\n") });
  expect((await tenon(["tools", url], { cwd })).stdout).toContain("echo()");
  const other = await tenon(["tools", url, "--profile", "other"], { cwd });
  expect(other.stderr).toContain(`log in with \`tenon login ${url} --profile other\``);
  const spaced = await tenon(["tools", url, "--profile", "my work"], { cwd });
  expect(spaced.stderr).toContain(`log in with \`tenon login ${url} --profile "my work"\``);
  expect(other.code).toBe(4);

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

describe("a call that requires a further scope", () => {
  test("names it, and the next login requests it without being told", async () => {
    const url = await protectedServer();
    const cwd = temporaryFolder();
    expect((await login(url, cwd)).stdout).toContain(", with the scope read.\n");
    const refused = await tenon(["call", url, "echo"], { cwd });
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain("further scopes: notes:write");
    expect(refused.stderr).toContain(`tenon login ${url} --scope notes:write`);
    // A refresh in another process keeps what is wanted.
    expect((await login(url, cwd)).stdout).toContain("read notes:write");
    expect((await tenon(["call", url, "echo"], { cwd })).code).toBe(0);
  });

  test("is requested by --scope", async () => {
    const url = await protectedServer();
    const cwd = temporaryFolder();
    const loggedIn = await login(url, cwd, "--scope", "notes:write", "--scope", "a b");
    expect(loggedIn.stdout).toContain("read notes:write a b");
    expect((await tenon(["call", url, "echo"], { cwd })).code).toBe(0);
  });

  test("does not advise a login that was of no use", async () => {
    const url = await protectedServer({ grants: () => ["read"] });
    const cwd = temporaryFolder();
    await login(url, cwd);
    await tenon(["call", url, "echo"], { cwd });
    await login(url, cwd);
    const { code, stderr } = await tenon(["call", url, "echo"], { cwd });
    expect(code).toBe(4);
    expect(stderr).toContain("have the authorization server grant these rights");
    expect(stderr).not.toContain("--scope");
  });
});

test.each([
  ["401", true],
  ["403", false],
])("a call that a served target refuses with %s has certainly not been delivered", async (_, isLoggedOut) => {
  const url = await protectedServer();
  const cwd = temporaryFolder();
  await login(url, cwd);
  const interruption = new AbortController();
  const address = deferred<string>();
  const serving = tenon(["serve", url, "--http"], {
    cwd,
    signal: interruption.signal,
    onWrite: (stream, text) => stream === "stdout" && address.resolve(text.trim()),
  });
  onTestFinished(async () => {
    interruption.abort(new Interrupted());
    await serving;
  });
  const served = await address.promise;
  if (isLoggedOut) {
    await tenon(["logout", url], { cwd });
  }
  const { stdout } = await tenon(["call", served, "echo", "--fresh", "--json"], { cwd });
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: -32603, data: { delivered: "no" } } });
});

test("only the first login of a store says how it is kept, after everything else", async () => {
  const url = await protectedServer();
  const cwd = temporaryFolder();
  expect((await tenon(["tools", url], { cwd })).stderr).not.toContain("keychain");
  const first = await login(url, cwd);
  expect(first.stderr).not.toMatch(/Cannot find package|\.js/);
  // A machine with a keychain seals the login, and says nothing.
  expect(first.stderr.includes("keychain")).toBe(first.stderr.endsWith("files that only you can read.\n"));
  expect((await tenon(["logout", url], { cwd })).code).toBe(0);
  expect((await login(url, cwd)).stderr).not.toContain("keychain");
});

test("auth status lists the logins with their scopes, until a logout", async () => {
  const url = await protectedServer();
  const cwd = temporaryFolder();
  expect((await tenon(["auth", "status"], { cwd })).stdout).toBe("You are not logged in at any server.\n");
  await login(url, cwd);
  expect((await login(url, cwd, "--profile", "work")).stdout).toContain(
    `Logged in at ${url} (profile work) by http`,
  );
  const listed = await tenon(["tools", url, "--profile", "work"], { cwd, isTTY: true, env: { CI: "true" } });
  expect(listed.stderr).toContain(`Call one: tenon call ${url} add name=… --profile work`);
  const { code, stdout } = await tenon(["auth", "status"], { cwd });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^✓ http:\S+\n {2}by http:\S+\n {2}scope read\n {2}valid [^]*\n {2}profile work\n/);
  expect(await json(["auth", "status", url], { cwd })).toEqual({
    logins: [expect.objectContaining({ url, profile: "default", isValid: true, scopes: ["read"] })],
  });
  expect((await tenon(["logout", url], { cwd })).code).toBe(0);
  const left = await tenon(["auth", "status", url], { cwd });
  expect(left).toMatchObject({ code: 4, stdout: `You are not logged in at ${url}.\n` });
  expect(await json(["auth", "status"], { cwd })).toMatchObject({ logins: [{ profile: "work" }] });
});

test("auth status names a login that has expired", async () => {
  const url = await protectedServer({ refreshTokens: false });
  const cwd = temporaryFolder();
  await login(url, cwd);
  const later = Date.now() + 2 * 3600 * 1000;
  const clock = vi.spyOn(Date, "now").mockReturnValue(later);
  onTestFinished(() => clock.mockRestore());
  const { code, stdout } = await tenon(["auth", "status", url], { cwd });
  expect(stdout).toContain("✗ ");
  expect(code).toBe(4);
  expect(stdout).toContain("the login has expired: log in again");
});

test("a command that waits at its end for a renewal of its login says so", async () => {
  const [renewal, response] = [deferred(), deferred()];
  let isLater = false;
  const url = await protectedServer({}, undefined, (path) => {
    if (!isLater) {
      return undefined;
    }
    if (path === "/token") {
      renewal.resolve();
      return response.promise;
    }
    return renewal.promise;
  });
  const cwd = temporaryFolder();
  await login(url, cwd);
  isLater = true;
  // The token is still valid, and is renewed before it expires.
  const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 3590 * 1000);
  onTestFinished(() => clock.mockRestore());
  const { code, stdout, stderr } = await tenon(["tools", url], {
    cwd,
    onWrite: (_, text) => void (text.includes("its response contains the new tokens") && response.resolve()),
  });
  expect(stdout).toContain("echo()");
  expect(stderr).toContain(`Waiting for the authorization server of ${url}: its response contains`);
  expect(code).toBe(0);
});

test("auth status says that an authorization server does not respond, and waits for its token request", async () => {
  const response = deferred();
  let isLater = false;
  const url = await protectedServer({}, undefined, (path) =>
    isLater && path === "/token" ? response.promise : undefined,
  );
  const cwd = temporaryFolder();
  await login(url, cwd);
  isLater = true;
  const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 2 * 3600 * 1000);
  onTestFinished(() => clock.mockRestore());
  const status = ["auth", "status", url, "--timeout", "2s"];
  const { code, stdout, stderr } = await tenon(status, {
    cwd,
    onWrite: (_, text) => void (text.includes("its response contains the new tokens") && response.resolve()),
  });
  expect(code).toBe(4);
  expect(stdout).toMatch(/^✗ http:\S+\n {2}by http:\S+\n {2}scope read\n {2}No response within 2000 ms\.\n$/);
  expect(stderr).toContain(`Waiting for the authorization server of ${url}`);
  expect((await tenon(["auth", "status", url], { cwd })).code).toBe(0);
});

/** Makes the tokens in the files of a user expire, with or without their refresh token. */
async function expire(cwd: string, hasRefreshToken: boolean) {
  const directory = join(cwd, "data/tenon/auth");
  const store = fileStore({ directory, onWarning: () => {} });
  const keys = readdirSync(directory).map((name): unknown => {
    const file = JSON.parse(readFileSync(join(directory, name), "utf8")) as { readonly key?: unknown };
    return file.key;
  });
  const key = String(keys.find((each) => String(each).startsWith("tokens.")));
  const record = JSON.parse((await store.get(key))?.value ?? "") as Readonly<Record<string, unknown>>;
  const anHourAgo = Date.now() - 3600 * 1000;
  const expired = { ...record, receivedAt: anHourAgo, expiresAt: anHourAgo + 1000 };
  await store.put(key, JSON.stringify(hasRefreshToken ? expired : { ...expired, refreshToken: undefined }));
  return { store, key };
}

test("a completion for an expired login without a refresh token starts no process", async () => {
  const url = await protectedServer();
  const cwd = temporaryFolder();
  await login(url, cwd);
  await expire(cwd, false);
  writeFileSync(join(cwd, "count.cjs"), `require("node:fs").appendFileSync("started", "x");`);
  const env = { NODE_OPTIONS: `--require ${cwd}/count.cjs` };
  expect((await tenon(["completion", "words", `call ${url}`], { cwd, env })).code).toBe(0);
  expect(existsSync(join(cwd, "started"))).toBe(false);
});

test("auth status renews each login by the proxy of its server in a configuration", async () => {
  const url = await protectedServer();
  const cwd = temporaryFolder();
  await login(url, cwd);
  await expire(cwd, true);
  const proxy = await deadProxy();
  writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: { notes: { url, proxy: proxy.url } } }));
  expect((await tenon(["auth", "status"], { cwd })).stdout).toContain(`✗ ${url}`);
  expect(proxy.connections()).toBeGreaterThan(0);
  const direct = await tenon(["auth", "status", "--no-proxy", "--timeout", "5m"], { cwd });
  expect(direct.stdout).toContain(`✓ ${url}`);
});

test.each([
  ["a URL", (url: string) => url],
  ["a name in a configuration", () => "notes --config servers.json"],
])(
  "a completion for %s does not wait for the renewal of a login: another process renews it",
  async (_, named) => {
    const [renewal, response] = [deferred(), deferred()];
    let isLater = false;
    let renewals = 0;
    const url = await protectedServer({}, undefined, (path) => {
      if (!isLater || path !== "/token") {
        return undefined;
      }
      renewals++;
      renewal.resolve();
      return response.promise;
    });
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "servers.json"), JSON.stringify({ mcpServers: { notes: { url } } }));
    const typed = `call ${named(url)}`;
    await login(url, cwd);
    const { store, key } = await expire(cwd, true);
    isLater = true;
    writeFileSync(join(cwd, "count.cjs"), `require("node:fs").appendFileSync("started", "x");`);
    const complete = () =>
      tenon(["completion", "words", typed], { cwd, env: { NODE_OPTIONS: `--require ${cwd}/count.cjs` } });
    expect((await complete()).code).toBe(0);
    await renewal.promise;
    expect((await complete()).code).toBe(0);
    expect(readFileSync(join(cwd, "started"), "utf8")).toBe("x");
    response.resolve();
    // On a busy machine a completion ends before the tokens are stored.
    await expect.poll(async () => (await complete()).stdout).toContain("echo");
    expect(renewals).toBe(1);
    // The other process has ended its work in the folder.
    await (await store.lock?.(key, new AbortController().signal))?.[Symbol.asyncDispose]();
  },
);

test("auth status names the error of a login that is not in the list", async () => {
  const url = await protectedServer();
  const cwd = temporaryFolder();
  await login(url, cwd);
  const store = fileStore({ directory: join(cwd, "data/tenon/auth"), onWarning: () => {} });
  await store.delete("logins");
  const later = Date.now() + 2 * 3600 * 1000;
  const clock = vi.spyOn(Date, "now").mockReturnValue(later);
  onTestFinished(() => clock.mockRestore());
  const { code, stdout } = await tenon(["auth", "status", url, "--proxy", "http://127.0.0.1:1"], { cwd });
  expect(stdout).toContain(`✗ ${url}`);
  expect(stdout).not.toContain("You are not logged in");
  expect(code).toBe(4);
});

test("a very long URL does not push other servers out of the list of logins", async () => {
  const store = fileStore({ directory: temporaryFolder(), onWarning: () => {} });
  const url = "https://example.com/mcp";
  await rememberLogin(store, { url, profile: "default" });
  await rememberLogin(store, { url: `${url}?${"x".repeat(60_000)}`, profile: "default" });
  await rememberLogin(store, { url: `${url}?y`, profile: "default" });
  expect(await readLogins(store)).toMatchObject([{ url }, { url: `${url}?y` }]);
});

test("an unknown command of auth is answered with its commands", async () => {
  const { code, stderr } = await tenon(["auth", "whoami"]);
  expect(code).toBe(2);
  expect(stderr).toContain('tenon auth has no command "whoami". It has status, explain.');
});
