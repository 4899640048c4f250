import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { groups } from "../src/table.ts";
import { fixture, json, self, temporaryFolder, tenon } from "./support.ts";

const notes = fixture("notes.mjs");

test("fuzz calls read-only tools with generated arguments, the same for the same seed", async () => {
  const run = async (): Promise<unknown> => json(["fuzz", notes, "--runs", "3", "--seed", "7"]);
  const report = await run();
  expect(report).toMatchObject({ tools: ["echo"], seed: 7 });
  expect(await run()).toEqual(report);
});

test("fuzz refuses the name of a tool that the server does not have", async () => {
  const { code, stderr } = await tenon(["fuzz", notes, "--tool", "misspelt"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('got "misspelt"')]);
  expect(stderr).not.toContain("at checkServer");
});

test("bench measures pings and calls, and a budget that is exceeded is exit code 1", async () => {
  expect(await json(["bench", notes, "--calls", "20", "--concurrency", "4"])).toMatchObject({
    calls: 20,
    failed: 0,
  });
  const converted = ["bench", notes, "--tool", "add", "--calls", "1", "name=bench", "times=2"];
  expect(await json(converted)).toMatchObject({ calls: 1, failed: 0 });
  const over = await tenon([
    "bench",
    notes,
    "a=1",
    "--tool",
    "echo",
    "--calls",
    "5",
    "--budget",
    "max=0.000001",
  ]);
  expect(over.code).toBe(1);
  expect(over.stdout).toContain("✗ max");
  expect(over.stdout).toMatch(/^ +≤ [\d.]+ ms █+ \d$/m);
  expect((await tenon(["bench", notes, "--budget", "fast"])).code).toBe(2);
});

test("bench calls a tool with effects as often as the command says, without a warm-up", async () => {
  const cwd = temporaryFolder();
  const log = join(cwd, "calls");
  writeFileSync(
    join(cwd, "shop.mjs"),
    `import { appendFileSync } from "node:fs";
    import { Server } from "${new URL("../../mcp/dist/index.js", import.meta.url).href}";
    export const server = new Server({ name: "shop", version: "1" });
    const add = (name) => (appendFileSync(${JSON.stringify(log)}, name), name);
    server.addTool({ name: "pay" }, () => add("p"));
    server.addTool({ name: "look", annotations: { readOnlyHint: true } }, () => add("l"));`,
  );
  for (const tool of ["pay", "look"]) {
    expect((await tenon(["bench", "shop.mjs", "--calls", "1", "--tool", tool], { cwd })).code).toBe(0);
  }
  expect(readFileSync(log, "utf8")).toBe("pll");
});

test("the completion of every shell knows every command", async () => {
  const names = groups.flatMap(({ commands }) => commands).map(({ name }) => name);
  for (const shell of ["bash", "zsh", "fish", "powershell"]) {
    const { code, stdout } = await tenon(["completion", shell]);
    expect(code).toBe(0);
    for (const name of names) {
      expect(stdout).toContain(name);
    }
  }
  expect((await tenon(["completion", "tcsh"])).code).toBe(2);
});

/** The replies of bash, which may run the command line itself. */
function replies(script: string, line: string, cwd: string): readonly string[] {
  const program = self.map((word) => `'${word}'`).join(" ");
  const typed = line.split(/(?=[:=@ ])|(?<=[:=@ ])/).filter((word) => word !== " ");
  const words = [...typed, ...(line.endsWith(" ") ? [""] : [])].map((word) => `'${word}'`).join(" ");
  const set = `COMP_LINE='${line}'; COMP_POINT=\${#COMP_LINE}; COMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))`;
  const ran = spawnSync(
    "bash",
    [
      "-c",
      `COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:@'; tenon() { ${program} "$@"; }\n${script}\n${set}; _tenon; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ],
    {
      cwd,
      encoding: "utf8",
      env: {
        ...process.env,
        HOME: cwd,
        XDG_CONFIG_HOME: join(cwd, "config"),
        XDG_DATA_HOME: join(cwd, "data"),
      },
    },
  );
  return ran.stdout.trim().split("\n");
}

test("bash completes commands and their options", async () => {
  const { stdout } = await tenon(["completion", "bash"]);
  const complete = (line: string): readonly string[] => replies(stdout, line, temporaryFolder());
  expect(complete("tenon doc")).toEqual(["doctor"]);
  expect(complete("tenon list --sch")).toEqual(["--schema"]);
  expect(complete("tenon trace v")).toEqual(["view"]);
  expect(complete("tenon auth explain --prof")).toEqual(["--profile"]);
});

test("bash completes configured servers, and tools and arguments of the lock file, but nothing that it would expand", async () => {
  const cwd = temporaryFolder();
  const server = { command: "never-started" };
  const mcpServers = { notes: server, "$(touch hacked)": server, nora: server };
  writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers }));
  expect((await tenon(["lock", notes], { cwd })).code).toBe(0);
  const words = async (typed: string): Promise<readonly string[]> =>
    (await tenon(["completion", "words", typed], { cwd })).stdout.trim().split("\n");
  expect(await words("list")).toEqual(["notes", "nora", "<files>"]);
  expect(await words("call notes")).toEqual(expect.arrayContaining(["add", "echo"]));
  expect(await words("call notes add name=milk")).toEqual(["tags=", "text=", "times="]);
  expect(await words('call notes --header "X-Key: a b" add')).toContain("name=");
  expect(await words("auth")).toEqual(["status", "explain"]);
  expect(await words("list --config")).toEqual(["<files>"]);
  const { stdout } = await tenon(["completion", "bash"]);
  expect(replies(stdout, "tenon call notes add te", cwd)).toEqual(["text="]);
  expect(replies(stdout, "tenon lock no", cwd)).toEqual(["notes", "nora"]);
  expect(replies(stdout, "tenon lock tenon", cwd)).toEqual(["tenon.lock.json"]);
  expect(replies(stdout, "tenon login ten", cwd)).toEqual([""]);
  expect(existsSync(join(cwd, "hacked"))).toBe(false);
});

test("config add, import and list keep servers in a file of the user alone", async () => {
  const cwd = temporaryFolder();
  const added = await tenon(
    ["config", "add", "loud", "--env", "KEY=v", "--", process.execPath, fixture("loud.mjs")],
    { cwd },
  );
  expect(added.code).toBe(0);
  const file = join(cwd, "config/tenon/mcp.json");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await json(["tools", "loud"], { cwd })).toMatchObject({ tools: [{ name: "echo" }] });
  expect((await tenon(["config", "add", "loud", "https://example.com/mcp"], { cwd })).code).toBe(2);
  writeFileSync(
    join(cwd, "other.json"),
    '{"mcpServers": {"far": {"url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${TOKEN:-secret}"}}}}',
  );
  expect((await tenon(["config", "import", "other.json"], { cwd })).code).toBe(0);
  expect(readFileSync(file, "utf8")).toContain("${TOKEN:-secret}");
  const { stdout } = await tenon(["config", "list", "--json"], { cwd });
  expect(JSON.parse(stdout)).toMatchObject({ servers: [{ name: "loud" }, { name: "far" }] });
  expect(stdout).not.toContain("Bearer secret");
});

test("conformance says how to install the suite", async () => {
  const { code, stderr } = await tenon(["conformance", "http://127.0.0.1:9/mcp"]);
  expect(code).toBe(2);
  expect(stderr).toContain("npm install --save-dev @modelcontextprotocol/conformance");
});

test("skills says that a server has none", async () => {
  const { code, stderr } = await tenon(["skills", notes]);
  expect(code).toBe(5);
  expect(stderr).toContain("does not declare skills");
});

test("a task that does not exist is an error of the protocol", async () => {
  expect((await tenon(["task", "get", notes, "no-such-task"])).code).toBe(5);
});

test("only remote servers have logins", async () => {
  for (const argv of [
    ["login", notes],
    ["logout", notes],
    ["auth", "explain", notes],
  ]) {
    const { code, stderr } = await tenon(argv);
    expect(code).toBe(2);
    expect(stderr).toContain("name a URL");
  }
});
