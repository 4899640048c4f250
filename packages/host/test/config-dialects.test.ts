import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { loadConfig, parseConfig, type Config, type ParseConfigOptions } from "../src/node.ts";

// Files as other hosts write them.

const env = { TOKEN: "t1", HOME_DIR: "/home/ada" };

function specs({ servers, errors }: Config): Record<string, unknown> {
  expect([...errors]).toEqual([]);
  return Object.fromEntries(servers.map(({ name, spec }) => [name, spec]));
}

const read = (text: string, options: ParseConfigOptions = {}): Config =>
  parseConfig(text, { env, ...options });

test("Gemini CLI: $NAME and ${NAME} are variables, and a dollar in a password is none", () => {
  const headers = { A: "Bearer $TOKEN", B: "${TOKEN}", C: "pa$sw0rd", D: "5$", E: "$TOKEN$TOKEN" };
  const config = read(JSON.stringify({ mcpServers: { a: { httpUrl: "https://h.example/mcp", headers } } }));
  expect(config.dialect).toBe("gemini");
  expect(specs(config)).toEqual({
    a: {
      type: "http",
      url: "https://h.example/mcp",
      headers: { A: "Bearer t1", B: "t1", C: "pa$sw0rd", D: "5$", E: "t1t1" },
    },
  });
  expect(JSON.stringify(config.servers[0]?.redacted)).not.toContain("t1");
  const unset = read(
    '{ "mcpServers": { "a": { "command": "x", "trust": true, "env": { "K": "$NOT_SET" } } } }',
  );
  expect(String(unset.errors.get("a"))).toMatch(/\$NOT_SET must have a value/);
});

test("files of other hosts keep $NAME as it is written, unless the dialect is said", () => {
  const file = '{ "mcpServers": { "a": { "command": "x", "env": { "K": "$TOKEN" } } } }';
  expect(specs(read(file))).toMatchObject({ a: { env: { K: "$TOKEN" } } });
  expect(specs(read(file, { dialect: "gemini" }))).toMatchObject({ a: { env: { K: "t1" } } });
  const gemini = '{ "mcpServers": { "a": { "command": "x", "trust": false, "env": { "K": "$TOKEN" } } } }';
  expect(specs(read(gemini, { dialect: "mcpServers" }))).toMatchObject({ a: { env: { K: "$TOKEN" } } });
});

test("opencode: commands are lists, and variables and files are in single braces", () => {
  const config = read(
    JSON.stringify({
      $schema: "https://opencode.ai/config.json",
      theme: "dark",
      mcp: {
        a: {
          type: "local",
          command: ["npx", "-y", "pkg", "--dir={env:HOME_DIR}"],
          environment: { A: "{env:TOKEN}", B: "{file:key.txt}", C: "{plain}" },
          enabled: true,
          timeout: 9000,
        },
        b: { type: "remote", url: "https://h.example/mcp", headers: { A: "Bearer {env:TOKEN}" } },
        c: { type: "local", command: ["x"], enabled: false },
      },
    }),
    { readFile: (path) => `content of ${path}\n` },
  );
  expect(config.dialect).toBe("opencode");
  expect(specs(config)).toEqual({
    a: {
      type: "stdio",
      command: "npx",
      args: ["-y", "pkg", "--dir=/home/ada"],
      env: { A: "t1", B: "content of key.txt", C: "{plain}" },
      policy: { limits: { connectTimeoutMs: 9000 } },
    },
    b: { type: "http", url: "https://h.example/mcp", headers: { A: "Bearer t1" } },
    c: { type: "stdio", command: "x", disabled: true },
  });
});

test("Crush: variables without braces, seconds, and commands that are not run", () => {
  const config = read(
    JSON.stringify({
      $schema: "https://charm.land/crush.json",
      mcp: {
        a: {
          type: "stdio",
          command: "node",
          args: ["s.js"],
          timeout: 120,
          disabled_tools: ["x"],
          env: { A: "1" },
        },
        b: { type: "http", url: "https://h.example/mcp", headers: { A: "Bearer $TOKEN" } },
        c: { type: "sse", url: "https://h.example/sse", headers: { A: "$(echo $TOKEN)" } },
      },
    }),
  );
  expect(config.dialect).toBe("crush");
  expect(config.servers.map(({ spec }) => spec)).toEqual([
    {
      type: "stdio",
      command: "node",
      args: ["s.js"],
      env: { A: "1" },
      policy: { limits: { totalTimeoutMs: 120_000 }, deny: ["x"] },
    },
    { type: "http", url: "https://h.example/mcp", headers: { A: "Bearer t1" } },
  ]);
  expect(String(config.errors.get("c"))).toMatch(/Commands such as \$\(…\) are not run/);
});

test("Goose: extensions that are servers, in both forms; built-in ones are none", () => {
  const config = read(
    [
      "GOOSE_MODEL: x",
      "extensions:",
      "  developer: { type: builtin, enabled: true, bundled: true, name: developer }",
      "  a:",
      "    type: stdio",
      "    cmd: npx",
      "    args: [-y, pkg]",
      "    envs: { A: '1', B: $TOKEN }",
      "    env_keys: [TOKEN]",
      "    enabled: true",
      "    timeout: 300",
      "    available_tools: []",
      "  b: { type: streamable_http, uri: 'https://h.example/mcp', headers: { A: 'Bearer ${TOKEN}' }, name: B }",
      "  c: { enabled: false, config: { type: stdio, cmd: x, timeout: 5 } }",
    ].join("\n"),
    { syntax: "yaml" },
  );
  expect(config.dialect).toBe("goose");
  expect(specs(config)).toEqual({
    a: {
      type: "stdio",
      command: "npx",
      args: ["-y", "pkg"],
      env: { TOKEN: "t1", A: "1", B: "t1" },
      policy: { limits: { totalTimeoutMs: 300_000 } },
    },
    b: { type: "http", url: "https://h.example/mcp", headers: { A: "Bearer t1" } },
    c: { type: "stdio", command: "x", disabled: true, policy: { limits: { totalTimeoutMs: 5000 } } },
  });
});

test("Amp: servers under a key with a dot, among other settings", () => {
  const config = read(
    '{ "amp.url": "x", "amp.mcpServers": { "a": { "command": "npx", "args": ["-y", "pkg"] } } }',
  );
  expect(config.dialect).toBe("amp");
  expect(specs(config)).toEqual({ a: { type: "stdio", command: "npx", args: ["-y", "pkg"] } });
});

test.each<[string, string, ParseConfigOptions["syntax"]]>([
  ["an empty file", "", "json"],
  ["white space", " \r\n\t", "json"],
  ["only a byte order mark", "\ufeff", "json"],
  ["only comments", "// nothing yet\n/* { } */\n", "json"],
  ["an empty TOML file", "# nothing\n", "toml"],
  ["an empty YAML file", "# nothing\n", "yaml"],
  ["an empty object", "{}", "json"],
  ["Claude Desktop's file before its first server", '{ "globalShortcut": "" }', "json"],
  [
    "settings without servers",
    '{ "theme": "dark", "tools": { "a": true }, "list": [1, { "x": 2 }] }',
    "json",
  ],
  ["servers that are null", '{ "mcpServers": null }', "json"],
  ["no servers", '{ "mcpServers": {} }', "json"],
  ["Codex without servers", 'model = "x"\n[tools]\nweb_search = true\n', "toml"],
  ["settings with other extensions", "extensions: [a, b]\n", "yaml"],
  ["mcp without servers", '{ "mcp": {} }', "json"],
  ["mcp with other settings", '{ "mcp": { "enabled": true } }', "json"],
])("%s has no servers, which is not an error", (_, text, syntax) => {
  const { servers, errors } = read(text, { syntax });
  expect([servers, [...errors]]).toEqual([[], []]);
});

test.each([
  ["a typo in the key", '{ "mcpServer": { "a": {} } }'],
  ["servers under an unknown key", '{ "tools": { "a": { "command": "x" } } }'],
  ["servers without a key around them", '{ "a": { "command": "x" }, "b": { "url": "https://h.example" } }'],
])("%s is an error that names the known keys", (_, text) => {
  expect(() => read(text)).toThrow(/none of the keys that servers are kept under \(mcpServers/);
});

const written = '\n// café\n{ "mcpServers": { "a": { "command": "C:\\\\Program Files\\\\é.exe", }, }, }';

test.each<[string, () => Uint8Array]>([
  ["UTF-8", () => Buffer.from(written)],
  ["UTF-8 with a byte order mark", () => Buffer.from(`\ufeff${written}`)],
  ["UTF-16 little endian", () => Buffer.from(`\ufeff${written}`, "utf16le")],
  ["UTF-16 little endian without a mark", () => Buffer.from(written.trim(), "utf16le")],
  ["UTF-16 big endian", () => Buffer.from(`\ufeff${written}`, "utf16le").swap16()],
  ["UTF-16 big endian without a mark", () => Buffer.from(written.trim(), "utf16le").swap16()],
  ["Windows-1252", () => Buffer.from(written, "latin1")],
  ["Windows line ends", () => Buffer.from(written.replaceAll("\n", "\r\n"))],
])("a file in %s is read", async (_, bytes) => {
  const folder = await mkdtemp(join(tmpdir(), "tenon-config-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "mcp.json");
  await writeFile(file, bytes());
  expect(specs(await loadConfig(file))).toEqual({
    a: { type: "stdio", command: String.raw`C:\Program Files\é.exe` },
  });
});

test("a file of Gemini CLI is known by its path, too", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tenon-config-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, ".gemini"));
  const file = join(folder, ".gemini", "settings.json");
  await writeFile(file, '{ "mcpServers": { "a": { "command": "x", "env": { "K": "$TOKEN" } } } }');
  expect(specs(await loadConfig(file, { env }))).toMatchObject({ a: { env: { K: "t1" } } });
});
