import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { loadConfig } from "@tenon/host/node";
import { expect, onTestFinished, test } from "vitest";

import { hostFiles, hostNames, type HostName, type Place } from "../src/hosts.ts";
import { planInstall, type InstallOptions } from "../src/node.ts";

function place(): Place {
  const home = mkdtempSync(join(tmpdir(), "tenon-ship-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const cwd = join(home, "project");
  mkdirSync(cwd);
  return { cwd, home, platform: "linux", env: {} };
}

/** The file of a host, with this content. */
function fileOf(at: Place, host: HostName, text?: string): string {
  const [path = ""] = hostFiles(at).find((each) => each.host === host && each.scope === "user")?.paths ?? [];
  if (text !== undefined) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return path;
}

const program = { command: "node", args: ["/srv/notes.js"], env: { LEVEL: "debug" } };
const remote = { url: "https://notes.example/mcp", headers: { "X-Team": "blue" } };

async function install(options: InstallOptions): Promise<string> {
  const plan = await planInstall(options);
  await plan.apply();
  return plan.change;
}

test.each(hostNames)("%s: an entry is added, read by a host, kept, replaced and removed", async (host) => {
  const at = place();
  const options = { host, name: "notes", place: at };
  const file = fileOf(at, host);
  expect(await install({ ...options, server: program })).toBe("added");
  const read = async (): Promise<unknown> => {
    const config = await loadConfig(file, { env: { KEY: "k-1234" } });
    expect(config.errors).toEqual(new Map());
    const server = config.servers.find(({ name }) => name === "notes");
    expect(server?.unknown).toEqual({});
    return server?.spec;
  };
  expect(await read()).toMatchObject({ type: "stdio", ...program });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const text = readFileSync(file, "utf8");
  expect(await install({ ...options, server: program })).toBe("unchanged");
  expect([readFileSync(file, "utf8"), existsSync(`${file}.bak`)]).toEqual([text, false]);

  const other = { ...options, name: "other", server: { command: "other" } };
  expect(await install(other)).toBe("added");
  expect(readFileSync(`${file}.bak`, "utf8")).toBe(text);
  if (host !== "claude-desktop") {
    expect(await install({ ...options, server: remote })).toBe("replaced");
    expect(await read()).toMatchObject({ type: "http", ...remote });
  }
  const referring = { ...options, server: { command: "n", variables: ["KEY"] } };
  if (["claude-desktop", "zed", "continue"].includes(host)) {
    await expect(planInstall(referring)).rejects.toMatchObject({ code: "UNSUPPORTED" });
  } else {
    expect(await install(referring)).toBe("replaced");
    expect(readFileSync(file, "utf8")).not.toContain("k-1234");
    expect(await read()).toMatchObject({ command: "n", env: { KEY: "k-1234" } });
  }
  expect(await install({ ...options, server: undefined })).toBe("removed");
  expect(await install({ ...options, server: undefined })).toBe("unchanged");
  expect((await loadConfig(file, { env: {} })).servers.map(({ name }) => name)).toEqual(["other"]);
});

test("settings of the user and values of variables stay when the program changes", async () => {
  const at = place();
  const entry = { command: "old", env: { TOKEN: "secret-value" }, disabled: true, alwaysAllow: ["x"] };
  const file = fileOf(at, "cursor", JSON.stringify({ mcpServers: { notes: entry } }));
  const plan = await planInstall({ host: "cursor", name: "notes", place: at, server: program });
  expect(plan.change).toBe("replaced");
  expect(JSON.stringify(plan.diff)).not.toContain("secret-value");
  expect(plan.diff).toContainEqual({ kind: "removed", text: '      "command": "old",' });
  await plan.apply();
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    mcpServers: {
      notes: {
        ...program,
        env: { TOKEN: "secret-value", LEVEL: "debug" },
        disabled: true,
        alwaysAllow: ["x"],
      },
    },
  });
});

test.each([
  ["cursor", '{ "mcpServers": ', "MALFORMED"],
  ["cursor", "[]", "MALFORMED"],
  ["cursor", '{ "mcpServers": [] }', "MALFORMED"],
  ["cursor", '{ "mcpServers": { "notes": 1 } }', "MALFORMED"],
  ["cursor", '{ "mcpServers": {}, "mcpServers": { "a": { "command": "a" } } }', "NOT_EDITABLE"],
  ["codex", "[mcp_servers", "MALFORMED"],
  ["codex", '[[mcp_servers]]\nname = "notes"\n', "MALFORMED"],
  ["goose", "extensions: {", "MALFORMED"],
  ["continue", "mcpServers: {}", "MALFORMED"],
  ["continue", `a: "${"x".repeat(70_000)}"`, "LIMIT"],
] as const)("a file that cannot be edited is refused and unchanged: %#", async (host, before, code) => {
  const at = place();
  const file = fileOf(at, host, before);
  await expect(planInstall({ host, name: "notes", place: at, server: program })).rejects.toMatchObject({
    name: "ShipError",
    code,
    message: expect.stringContaining(file),
  });
  expect(readFileSync(file, "utf8")).toBe(before);
});

test("a file that cannot be read or written is reported with its path", async () => {
  const at = place();
  const options = { host: "cursor", name: "notes", place: at, server: program } as const;
  mkdirSync(join(at.home, ".cursor/mcp.json"), { recursive: true });
  await expect(planInstall(options)).rejects.toMatchObject({ code: "MALFORMED" });
  const plan = await planInstall({ ...options, host: "codex" });
  writeFileSync(join(at.home, ".codex"), "");
  await expect(plan.apply()).rejects.toMatchObject({
    code: "NOT_EDITABLE",
    message: expect.stringContaining(`${join(at.home, ".codex/config.toml")} cannot be written: `),
  });
});

test("names and hosts that do not exist are refused", async () => {
  const at = place();
  const options = { host: "cursor", name: "notes", place: at, server: program } as const;
  for (const name of ["__proto__", "a b", "a.b", "", "x".repeat(65)]) {
    await expect(planInstall({ ...options, name })).rejects.toThrow(/name/);
  }
  fileOf(at, "cursor", '{ "mcpServers": { "a b": { "command": "a" } } }');
  expect(await planInstall({ ...options, name: "a b", server: undefined })).toMatchObject({
    change: "removed",
  });
  await expect(planInstall({ ...options, host: "emacs" as HostName })).rejects.toMatchObject({
    code: "UNKNOWN_HOST",
  });
  await expect(planInstall({ ...options, host: "goose", scope: "project" })).rejects.toMatchObject({
    code: "UNSUPPORTED",
  });
});

test("a file that another program changes after it was read is not overwritten", async () => {
  const at = place();
  const file = fileOf(at, "cursor", "{}");
  const plan = await planInstall({ host: "cursor", name: "notes", place: at, server: program });
  writeFileSync(file, '{"other":1}');
  writeFileSync(`${file}.bak`, "of earlier");
  await expect(plan.apply()).rejects.toMatchObject({ code: "CHANGED" });
  expect(readFileSync(file, "utf8")).toBe('{"other":1}');
  expect(readFileSync(`${file}.bak`, "utf8")).toBe("of earlier");
});

test("links of the user are followed, and links that lead out of a project are refused", async () => {
  const at = place();
  const file = fileOf(at, "cursor", "{}");
  const real = join(at.home, "dotfiles.json");
  writeFileSync(real, "{}");
  // More than the mask of the process allows for new files.
  chmodSync(real, 0o664);
  rmSync(file);
  symlinkSync(real, file);
  const options = { host: "cursor", name: "notes", place: at, server: program } as const;
  await install(options);
  expect(lstatSync(file).isSymbolicLink()).toBe(true);
  expect(readFileSync(real, "utf8")).toContain("notes.js");
  expect([statSync(real), statSync(`${real}.bak`)].map(({ mode }) => mode & 0o777)).toEqual([0o664, 0o664]);
  chmodSync(real, 0o444);
  await expect(planInstall({ ...options, server: remote })).rejects.toMatchObject({ code: "NOT_EDITABLE" });

  symlinkSync(at.home, join(at.cwd, ".cursor"));
  await expect(planInstall({ ...options, scope: "project" })).rejects.toThrow(/symbolic link/);
});
