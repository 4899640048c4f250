import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { startHttpProxy } from "@tenon/test-support/http-proxy";
import { beforeAll, expect, test } from "vitest";

import { hasScript, keys, loadProgram, programAt, type Terminal } from "./at-terminal.ts";
import { protectedServer } from "./protected-server.ts";
import { self, temporaryFolder } from "./support.ts";

const isLinux = process.platform === "linux";

/** A folder with a browser in which a user logs in at once, and variables that have it used. */
function withBrowser(): { readonly cwd: string; readonly env: Record<string, string> } {
  const cwd = temporaryFolder();
  const bin = join(cwd, "bin");
  mkdirSync(bin);
  const browser = join(bin, "xdg-open");
  writeFileSync(browser, `#!${process.execPath}\nfetch(process.argv.at(-1)).then((page) => page.text());\n`);
  chmodSync(browser, 0o755);
  return { cwd, env: { DISPLAY: ":0", PATH: `${bin}:${process.env["PATH"]}` } };
}

const tenonAt = (cwd: string, env: Record<string, string>, ...argv: readonly string[]): Terminal =>
  programAt(cwd, [...self, ...argv], env);

beforeAll(loadProgram);

test.skipIf(!hasScript || !isLinux)(
  "at a terminal, a command that needs a login offers it, and continues after it",
  async () => {
    const url = await protectedServer();
    const { cwd, env } = withBrowser();
    const { shows, type, ended } = tenonAt(cwd, env, "tools", url);
    await shows(/●.{0,6} Yes/);
    type(keys.enter);
    const { code, screen } = await ended();
    expect(screen).toMatch(
      /The browser shows the login page\. If it does not, open:\r\nhttp\S+\r\nWaiting for the login, up to 10 minutes\. Ctrl-C ends it\.[^]*Logged in at [^]*Tools/,
    );
    expect(screen).toContain(`Call one: tenon call ${url} add name=…`);
    expect(code).toBe(0);
  },
);

test.skipIf(!hasScript || !isLinux)(
  "at a terminal, a call that needs a further scope logs in again, and keeps its arguments",
  async () => {
    const url = await protectedServer();
    const { cwd, env } = withBrowser();
    const { shows, type, ended } = tenonAt(cwd, env, "call", url, "add", "text=x");
    await shows(/●.{0,6} Yes/);
    type("y");
    await shows("name");
    type("milk\r");
    await shows("Send them");
    type(keys.enter);
    await shows(/further scopes: notes:write[^]*●.{0,6} Yes/);
    type("y");
    const { code, screen } = await ended();
    expect(screen).toContain("read notes:write");
    expect(screen.split("Logged in at")).toHaveLength(3);
    expect(screen.split("Logged in at")[2]).not.toContain("These values?");
    expect(screen).toContain('"count"');
    expect(code).toBe(0);
  },
);

test.skipIf(!hasScript || !isLinux)(
  "a step that needs a further scope keeps its arguments over the login",
  async () => {
    const url = await protectedServer();
    const { cwd, env } = withBrowser();
    const { shows, type, ended } = tenonAt(cwd, env, url);
    await shows(/●.{0,6} Yes/);
    type("y");
    await shows(/What next\?[^]*End/);
    type(keys.enter);
    await shows("The name");
    type("milk\r");
    await shows("Send them");
    type(keys.enter);
    await shows(/further scopes: notes:write[^]*●.{0,6} Yes/);
    type("y");
    const screen = await shows(/"count"[^]*◆.{0,12}What next/);
    expect(screen.split("read notes:write")[1]).not.toContain("The name");
    type(keys.escape);
    expect((await ended()).code).toBe(0);
  },
);

test.skipIf(!hasScript || !isLinux)(
  "a login in the middle of a command uses the proxy of the configured server",
  async () => {
    using proxy = await startHttpProxy();
    const { cwd, env } = withBrowser();
    const notes = { url: await protectedServer(), proxy: proxy.url };
    writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: { notes } }));
    const { shows, type, ended } = tenonAt(cwd, env, "tools", "notes");
    await shows(/●.{0,6} Yes/);
    type(keys.enter);
    expect((await ended()).code).toBe(0);
    expect(proxy.seen.some((each) => /^POST \S+\/token$/.test(each))).toBe(true);
  },
);

test.skipIf(!hasScript || !isLinux)("a person who connects is offered the login, too", async () => {
  const url = await protectedServer();
  const { cwd, env } = withBrowser();
  const { shows, type, ended } = tenonAt(cwd, env, "connect", url, "--name", "notes");
  await shows(/●.{0,6} Yes/);
  type("y");
  const { code, screen } = await ended();
  expect(screen).toContain("@notes is connected.");
  expect(code).toBe(0);
  expect((await tenonAt(cwd, env, "disconnect", "notes").ended()).code).toBe(0);
});

test.skipIf(!hasScript)("who declines the login reads how to log in later", async () => {
  const { cwd, env } = withBrowser();
  const { shows, type, ended } = tenonAt(cwd, env, "call", await protectedServer(), "echo");
  await shows(/●.{0,6} Yes/);
  type("n");
  const { code, screen } = await ended();
  expect(screen).toContain("tenon login http");
  expect(code).toBe(4);
});

test.skipIf(!hasScript).each([
  ["with --json", ["--json"], {}],
  ["in CI", [], { CI: "true" }],
])("no login is offered %s", async (_, options, more) => {
  const { cwd, env } = withBrowser();
  const { ended } = tenonAt(cwd, { ...env, ...more }, "tools", await protectedServer(), ...options);
  const { code, screen } = await ended();
  expect(screen).not.toContain("Log in now?");
  expect(screen).toContain("tenon login");
  expect(code).toBe(4);
});

test.skipIf(!hasScript || !isLinux)(
  "without a display, a login names its page as clearly as the rest, and Ctrl-C ends the wait in a new line",
  async () => {
    const { cwd } = withBrowser();
    const { shows, type, ended } = tenonAt(cwd, {}, "login", await protectedServer());
    await shows("Ctrl-C ends it.");
    type(keys.interrupt);
    const { code, screen } = await ended();
    expect(screen).toMatch(
      /^No browser can be opened here \(no display\)\. Open this page to log in:\r\nhttp:\S+\r\nWaiting for the login, up to 10 minutes\. Ctrl-C ends it\.\r\n/,
    );
    expect(screen).toMatch(/\^C\r\n\S*error:\S* Interrupted\./);
    expect(code).toBe(130);
  },
);

test.skipIf(!hasScript || !isLinux)("a login uses the program of BROWSER without a display", async () => {
  const { cwd, env } = withBrowser();
  const browser = join(cwd, "bin", "xdg-open");
  const { DISPLAY: _, ...rest } = env;
  const { code, screen } = await tenonAt(
    cwd,
    { ...rest, BROWSER: browser },
    "login",
    await protectedServer(),
  ).ended();
  expect(screen).toContain("The browser shows the login page.");
  expect(code).toBe(0);
});

test.skipIf(!hasScript || !isLinux)(
  "bash completes the tools of a URL and their arguments, and the servers of a logout",
  async () => {
    const url = await protectedServer();
    const { cwd, env } = withBrowser();
    const { code } = await tenonAt(
      cwd,
      { ...env, BROWSER: join(cwd, "bin", "xdg-open") },
      "login",
      url,
    ).ended();
    expect(code).toBe(0);
    writeFileSync(join(cwd, "http-notes.txt"), "");
    const loads = self.map((word) => `'${word}'`).join(" ");
    const { shows, type, ended } = programAt(cwd, ["bash", "--norc", "--noprofile", "-i"], {
      ...env,
      XDG_RUNTIME_DIR: cwd,
    });
    type(`bind 'set enable-bracketed-paste off'; tenon() { ${loads} "$@"; }; stty cols 200\r`);
    type(`eval "$(tenon completion bash)"; echo rea''dy\r`);
    await shows("ready");
    type(`tenon connect ${url} --name kept; echo connect''ed\r`);
    await shows("connected");
    for (const [typed, completed] of [
      [`tenon call ${url} ec`, `tenon call ${url} echo `],
      [`tenon call ${url} add name=x te`, `tenon call ${url} add name=x text=`],
      ["tenon logout ", `tenon logout ${url}`],
      ["tenon call @", "tenon call @kept "],
      ["tenon call @ke", "tenon call @kept "],
      ["tenon logout http", `tenon logout ${url}`],
    ] as const) {
      type(`${typed}\t`);
      await shows(completed);
      type("\u0015");
    }
    type("tenon disconnect kept; exit\r");
    await ended();
  },
);
