import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { hostFiles, type HostName, type Place } from "../src/hosts.ts";
import { planInstall, type InstallOptions } from "../src/node.ts";

function filled(host: HostName, text: string): { readonly place: Place; readonly file: string } {
  const home = mkdtempSync(join(tmpdir(), "tenon-ship-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const place: Place = { cwd: home, home, platform: "linux", env: {} };
  const [file = ""] =
    hostFiles(place).find((each) => each.host === host && each.scope === "user")?.paths ?? [];
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return { place, file };
}

const program = { command: "node", args: ["/srv/notes.js"] };
const steps: readonly InstallOptions["server"][] = [
  program,
  { url: "https://notes.example/mcp", headers: { "X-Team": "blue" } },
  { command: "deno", env: { LEVEL: "debug" } },
];

const json = `// top
{
\t"mcpServers": { // servers
\t\t// about a
\t\t"a": {"command":"a", "args": [ 1 ]}, // first
\t\t/* end */
\t},
\t"z": 1,
}
// bottom
`;
const toml = `# top
model = "m" # model

[mcp_servers] # servers
  # about a
  [mcp_servers.a]
  command = "a # b" # first
  # end of a

# [mcp_servers.old]
# command = "old"

# about tui
[tui]
text = """
[mcp_servers.notes]
# no comment
"""
list = [ # one
  1,
]
# bottom
`;
const yaml = `# top
one:   'it''s'   # one
extensions: # servers
    # about a
    a:
        cmd: a   # first
        args:
        - x
        text: |
          # no comment

          end

# about z


z: {q: 1}
# bottom
`;

test.each([
  ["cursor", "comments and tabs", json],
  ["cursor", "one line", '{"mcpServers":{"a":{"command":"a"}},"z":1}'],
  [
    "cursor",
    "no trailing comma",
    '{\n    "z": 1,\n    "mcpServers": {\n        "a": { "command": "a" }\n    }\n}',
  ],
  ["codex", "comments and strings", toml],
  ["codex", "inline tables", '[mcp_servers]\na = { command = "a" } # a\nb.command = "b"\n\n[tui]\nx = 1\n'],
  ["goose", "comments and block scalars", yaml],
  ["continue", "a list", "# top\nmcpServers:\n- name: a\n  command: a   # first\n\n# about z\nz:   1\n"],
] as const)("%s: nothing but the entry changes: %s", async (host, _, text) => {
  for (const before of [text, `\uFEFF${text.replaceAll("\n", "\r\n")}`]) {
    const { place, file } = filled(host, before);
    for (const server of steps) {
      await (await planInstall({ host, name: "notes", place, server })).apply();
      const now = readFileSync(file, "utf8");
      const lines = new Set(now.split("\n"));
      expect(before.includes("\n") ? before.split("\n").filter((line) => !lines.has(line)) : []).toEqual(
        // JSON needs a comma between entries.
        before.endsWith("}") && before.includes("\n") ? [expect.stringContaining('"a"')] : [],
      );
      expect(/[^\r]\n/.test(now)).toBe(/[^\r]\n/.test(before));
    }
    await (await planInstall({ host, name: "notes", place })).apply();
    expect(readFileSync(file, "utf8")).toBe(before);
  }
});

test.each([
  [
    "cursor",
    '{ "mcpServers": {\n  "notes": { // mine\n    "command": "old", // why\n    "disabled": true /* off */,\n  },\n} }\n',
    ["// mine", "// why", "/* off */"],
  ],
  [
    "codex",
    '[mcp_servers.notes] # mine\n# inside\ncommand = "old" # why\nstartup_timeout_sec = 20.0 # long\n\n[mcp_servers.notes.env] # variables\nKEY = "k" # key\n',
    ["# mine", "# inside", "# why", "20.0 # long", "# variables", "# key"],
  ],
  [
    "goose",
    "extensions:\n  notes: # mine\n    # inside\n    cmd: old # why\n    timeout: 20 # long\n",
    ["# mine", "# inside", "# why", "20 # long"],
  ],
] as const)("%s: comments within an entry stay when it is replaced", async (host, before, comments) => {
  const { place, file } = filled(host, before);
  await (await planInstall({ host, name: "notes", place, server: program })).apply();
  const text = readFileSync(file, "utf8");
  expect(text).toContain("/srv/notes.js");
  expect(comments.filter((comment) => !text.includes(comment))).toEqual([]);
});

test.each([
  ["codex", '[mcp_servers.notes]\ncommand = "a"\n\n[mcp_servers.notes.env]\nA = "b"\n', ""],
  ["codex", '[mcp_servers.notes]\ncommand = "a"\n# [mcp_servers.old]\n', "# [mcp_servers.old]\n"],
  ["codex", 'mcp_servers = { notes = { command = "a" } }\n', "mcp_servers = {}\n"],
  ["codex", 'mcp_servers.notes.command = "a"\nmodel = "m"\n', 'model = "m"\n'],
  ["goose", "extensions:\n  notes:\n    cmd: a\nz:   1\n", "extensions: {}\nz:   1\n"],
  ["goose", "extensions: {notes: {cmd: a}}\n", "extensions: {}\n"],
  ["goose", "extensions: # mine\n  notes:\n    cmd: a\nz: {q: 1}\n", "extensions: {} # mine\nz: {q: 1}\n"],
  [
    "goose",
    "account: 12345678901234567890\nmask: 0xFF\nextensions:\n  # mine\n\n  notes:\n    cmd: a\n    # tail\n# KEEP\nz:   1\n",
    "account: 12345678901234567890\nmask: 0xFF\nextensions: {}\n  # mine\n\n    # tail\n# KEEP\nz:   1\n",
  ],
  ["continue", "mcpServers:\n- name: notes\n  command: a\n", "mcpServers: []\n"],
  ["cursor", '{ "mcpServers": { "notes": { "command": "a" }, } }', '{ "mcpServers": {} }'],
] as const)("%s: the only server is removed from %j", async (host, before, after) => {
  const { place, file } = filled(host, before);
  const plan = await planInstall({ host, name: "notes", place });
  expect(plan.change).toBe("removed");
  await plan.apply();
  expect(readFileSync(file, "utf8")).toBe(after);
});

test.each([
  ["cursor", "// only a comment\n"],
  ["cursor", '{ "mcpServers": {} }\n'],
  ["codex", "# only a comment\n"],
  ["goose", "extensions:\nz: 1\n"],
  ["goose", "z: 1"],
  ["continue", "mcpServers: # none\nz: {q: 1}\n"],
] as const)("%s: the first server is added to %j", async (host, before) => {
  const { place, file } = filled(host, before);
  const options = { host, name: "notes", place, server: program } as const;
  await (await planInstall(options)).apply();
  const text = readFileSync(file, "utf8");
  expect(before.split("\n").filter((line) => !text.includes(line))).toEqual(
    before.includes("{}") ? ['{ "mcpServers": {} }'] : [],
  );
  expect((await planInstall(options)).change).toBe("unchanged");
});

const numbers = "# head\n---\nid: 12345678901234567890 # id\nmask: 0xFF\ntext: one\n  two\n";

test.each([
  ["extensions: { a: { cmd: x, id: 98765432109876543210 } } # a\n", { "# a": 1, "98765432109876543210": 1 }],
  ["extensions:\n  a:\n    cmd:   x\n", { "cmd:   x\n": 1 }],
  ["extensions: { # one\n  a: { cmd: x }, # two\n  notes: { cmd: y } # own\n}\n", { "# one": 1, "# two": 1 }],
])("goose: other values, numbers and comments stay: %j", async (servers, kept) => {
  const { place, file } = filled("goose", numbers + servers);
  for (const server of [program, undefined]) {
    await (await planInstall({ host: "goose", name: "notes", place, server })).apply();
    const text = readFileSync(file, "utf8");
    expect(text.slice(0, numbers.length)).toBe(numbers);
    expect(Object.fromEntries(Object.keys(kept).map((each) => [each, text.split(each).length - 1]))).toEqual(
      kept,
    );
  }
});

test("a server is removed from the front of a YAML list, whose other comments stay", async () => {
  const rest = "  # about a\n  - name: a # a\n    command:   b\n    # end\n";
  const { place, file } = filled("continue", `mcpServers:\n  - name: notes # mine\n    command: c\n${rest}`);
  await (await planInstall({ host: "continue", name: "notes", place })).apply();
  expect(readFileSync(file, "utf8")).toBe(`mcpServers:\n${rest}`);
});

test.each([
  [
    '{ "mcpServers": { "notes": {\n  "command": "c" }, // mine\n  // about b\n  "b": {} } }',
    '{ "mcpServers": {\n  // about b\n  "b": {} } }',
  ],
  [
    '{ "mcpServers": { "notes": {} /* mine */, /* about b */ "b": {} } }',
    '{ "mcpServers": { /* about b */ "b": {} } }',
  ],
  [
    '{ "mcpServers": {\n  "notes": {}, /* about b */ "b": {}\n} }',
    '{ "mcpServers": {\n  /* about b */ "b": {}\n} }',
  ],
  [
    '{ "mcpServers": {\n  "notes": {} // mine\n  // about b\n  , "b": {}\n} }',
    '{ "mcpServers": {\n  // about b\n  "b": {}\n} }',
  ],
  [
    '{ "mcpServers": {\n  "a": {}\n  , "notes": {} // mine\n  // about b\n  , "b": {}\n} }',
    '{ "mcpServers": {\n  "a": {}\n  ,\n  // about b\n  "b": {}\n} }',
  ],
  [
    '{ "mcpServers": {\n  "a": {},\n  // about notes\n  "notes": {} } }',
    '{ "mcpServers": {\n  "a": {}\n  // about notes\n } }',
  ],
  [
    '{ "mcpServers": {\n  "a": {}\n  // about notes\n  , "notes": {} } }',
    '{ "mcpServers": {\n  "a": {}\n  // about notes\n } }',
  ],
])("the comment of another server stays when %j loses one", async (before, after) => {
  const { place, file } = filled("cursor", before);
  await (await planInstall({ host: "cursor", name: "notes", place })).apply();
  expect(readFileSync(file, "utf8")).toBe(after);
});

test("large integers of TOML are valid, and numbers in braces keep their form", async () => {
  const text = (first: string, more: string, last: string): string =>
    `big = 9223372036854775807\n[mcp_servers]\na = { id = 0xFF, t = 10.0 } # a\nnotes = { command = "${first}", x.y = 1_0, args = ["#", 1.0]${more}, t = 10.0${last} } # own\n`;
  const { place, file } = filled("codex", text("old", ", env = { A = '1' }, env_vars = ['K']", ""));
  const server = { command: "node", args: ["#", "}"], env: { B: "2" } };
  await (await planInstall({ host: "codex", name: "notes", place, server })).apply();
  expect(readFileSync(file, "utf8")).toBe(
    text("node", `, env = { A = '1', B = "2" }, env_vars = ['K']`, "").replace('["#", 1.0]', '["#", "}"]'),
  );
  const remote = { url: "https://a.example/mcp", headers: { "X-Team": "blue" } };
  await (await planInstall({ host: "codex", name: "notes", place, server: remote })).apply();
  expect(readFileSync(file, "utf8")).toBe(
    text("old", "", ', url = "https://a.example/mcp", http_headers = { X-Team = "blue" }')
      .replace('command = "old", ', "")
      .replace(', args = ["#", 1.0]', ""),
  );
  await (await planInstall({ host: "codex", name: "notes", place })).apply();
  expect(readFileSync(file, "utf8")).toBe(text("", "", "").replace(/^notes.*\n/m, ""));
});

test("servers between braces are added and removed without a change of the others", async () => {
  const before = "mcp_servers = { a = { id = 0xFF, t = 10.0 }, b.t = 1e3 } # servers\n";
  const { place, file } = filled("codex", before);
  await (await planInstall({ host: "codex", name: "notes", place, server: program })).apply();
  const made = ', notes = { command = "node", args = ["/srv/notes.js"] }';
  expect(readFileSync(file, "utf8")).toBe(before.replace("1e3", `1e3${made}`));
  await (await planInstall({ host: "codex", name: "b", place })).apply();
  expect(readFileSync(file, "utf8")).toBe(before.replace(", b.t = 1e3", made));
  await (await planInstall({ host: "codex", name: "a", place })).apply();
  expect(readFileSync(file, "utf8")).toBe(`mcp_servers = {${made.slice(1)} } # servers\n`);
});

test("comments between braces of TOML stay", async () => {
  const text = (notes: string): string => `mcp_servers = { # top\n${notes}  a = { t = 1.0 } # a\n}\n`;
  const { place, file } = filled(
    "codex",
    text('  notes = { t = 20.0, # long, longer\n    command = "old" # why\n  }, # mine\n'),
  );
  const server = { url: "https://a.example/mcp" };
  await (await planInstall({ host: "codex", name: "notes", place, server })).apply();
  expect(readFileSync(file, "utf8")).toBe(
    text('  notes = { t = 20.0, url = "https://a.example/mcp" # long, longer\n     # why\n  }, # mine\n'),
  );
  await (await planInstall({ host: "codex", name: "notes", place })).apply();
  expect(readFileSync(file, "utf8")).toBe(text("   # mine\n"));
  await (await planInstall({ host: "codex", name: "a", place })).apply();
  expect(readFileSync(file, "utf8")).toBe("mcp_servers = { # top\n   # mine\n   # a\n}\n");
});

test("an edit that would lose a comment of another server is refused", async () => {
  const text = "{ extensions: { a: { cmd: x }, notes: { cmd: y } # own\n # about b\n , b: { cmd: z } } }\n";
  const { place, file } = filled("goose", text);
  const plan = planInstall({ host: "goose", name: "notes", place });
  await expect(plan).rejects.toMatchObject({ code: "NOT_EDITABLE" });
  expect(readFileSync(file, "utf8")).toBe(text);
});

test("the file that has the server is edited if a host reads several", async () => {
  const { place, file } = filled("opencode", "{}");
  const other = file.replace(/json$/, "jsonc");
  writeFileSync(other, '{ "mcp": { "notes": { "type": "local", "command": ["a"] } } }');
  expect(await planInstall({ host: "opencode", name: "notes", place })).toMatchObject({
    change: "removed",
    file: other,
  });
  expect(await planInstall({ host: "opencode", name: "more", place, server: program })).toMatchObject({
    change: "added",
    file,
  });
});
