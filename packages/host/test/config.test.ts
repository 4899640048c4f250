import { expect, test } from "vitest";

import { parseConfig, redactSpec, selectServers, trustHash } from "../src/node.ts";

const only = (source: unknown, options?: Parameters<typeof parseConfig>[1]) => {
  const config = parseConfig(source, options);
  const [server] = config.servers;
  if (server === undefined) {
    throw [...config.errors.values()][0] ?? new Error("no server");
  }
  return { ...server, dialect: config.dialect, inputs: config.inputs };
};

test("mcpServers: programs, with comments and trailing commas; unknown members are kept and reported", () => {
  const server = only(`{
    // Claude Desktop, Cursor, Windsurf, Cline
    "mcpServers": {
      "files": { "command": "npx", "args": ["-y", "x"], "env": { "A": "b", "N": 1 }, "autoApprove": ["read"], "timeout": 5000, },
    },
  }`);
  expect(server.dialect).toBe("mcpServers");
  expect(server.spec).toEqual({
    type: "stdio",
    command: "npx",
    args: ["-y", "x"],
    env: { A: "b", N: "1" },
    policy: { timeouts: { callMs: 5000 } },
  });
  expect(server.unknown).toEqual({ autoApprove: ["read"] });
});

test.each([
  [{ url: "https://x.test/mcp" }, "http"],
  [{ type: "http", url: "https://x.test/mcp" }, "http"],
  [{ type: "streamable-http", url: "https://x.test/mcp" }, "http"],
  [{ type: "streamableHttp", serverUrl: "https://x.test/mcp" }, "http"],
  [{ type: "sse", url: "https://x.test/mcp" }, "sse"],
  [{ httpUrl: "https://x.test/mcp" }, "http"],
] as const)("S-215, mcpServers: a remote server written as %o", (entry, type) => {
  expect(only({ mcpServers: { x: entry } }).spec).toEqual({ type, url: "https://x.test/mcp" });
});

test("mcp-hub: JSON5, with names unquoted, single quotes, broken lines and numbers in base 16", () => {
  const server = only(
    `{
    mcpServers: {
      // mcp-hub reads its files with variables as VS Code writes them
      hub: { command: 'npx', args: ['-y', "one\\
two",], env: { KEY: '\${env:KEY}' }, timeout: 0x100, },
    },
  }`,
    { env: { KEY: "k" } },
  );
  expect(server.spec).toEqual({
    type: "stdio",
    command: "npx",
    args: ["-y", "onetwo"],
    env: { KEY: "k" },
    policy: { timeouts: { callMs: 256 } },
  });
});

test("a file of brackets alone, however many, is no configuration and does no harm; a server may be named __proto__", () => {
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  expect(() => parseConfig(deep)).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
  const { servers } = parseConfig('{"mcpServers": {"__proto__": {"command": "a"}}}');
  expect(servers.map(({ name, spec }) => [name, spec.type])).toEqual([["__proto__", "stdio"]]);
  expect(
    Object.keys(selectServers(parseConfig('{"mcpServers": {"__proto__": {"command": "a"}}}')).servers),
  ).toEqual(["__proto__"]);
});

test("a hostile envFile and a hostile YAML are read, or refused, in linear time", () => {
  const spaces = " ".repeat(1_000_000);
  const readFile = (): string => `A=b${spaces}c\n${spaces}\nexport B = "d" \nno name = 1\n=2\n`;
  const { spec } = only({ mcpServers: { a: { command: "a", envFile: "f" } } }, { readFile });
  expect(spec).toMatchObject({ env: { A: `b${spaces}c`, B: "d" } });
  const keys = Array.from({ length: 100_000 }, (_, index) => `k${index}: &a${index} 1`).join("\n");
  expect(() => parseConfig(keys, { syntax: "yaml" })).toThrow(/longer than 262144/);
});

test("Claude Code: variables and defaults, once and without a shell", () => {
  const env = { HOME: "/home/ann", NESTED: "${HOME}", EMPTY: "" };
  const entry = {
    command: "${HOME}/bin/$HOME `id` $(id)",
    args: ["${NESTED}", "${PORT:-80}", "${EMPTY:-full}", "${HOME:-x}", "${URL:-http://a:1/b}"],
  };
  expect(only({ mcpServers: { x: entry } }, { env }).spec).toEqual({
    type: "stdio",
    command: "/home/ann/bin/$HOME `id` $(id)",
    args: ["${HOME}", "80", "full", "/home/ann", "http://a:1/b"],
  });
});

test("Copilot: tools are an allow list", () => {
  expect(only({ mcpServers: { x: { type: "stdio", command: "a", tools: ["read_*"] } } }).spec.policy).toEqual(
    {
      allow: ["read_*"],
    },
  );
});

test("VS Code: servers, inputs, envFile and places; settings.json has the same under mcp", () => {
  const file = {
    inputs: [{ id: "key", type: "promptString", password: true }],
    servers: {
      x: {
        type: "stdio",
        command: "${workspaceFolder}/run",
        env: { KEY: "${input:key}", B: "own" },
        envFile: "${workspaceFolder}/.env",
        dev: { watch: "**" },
      },
    },
  };
  const options = {
    inputs: { key: "s3cret-key" },
    places: { workspaceFolder: "/w" },
    readFile: (path: string) => `# ${path}\nexport A="quoted value"\nB=file\nC = plain \nnonsense`,
  };
  for (const source of [file, { mcp: file }]) {
    const server = only(source, options);
    expect(server.dialect).toBe("vscode");
    expect(server.inputs).toEqual(["key"]);
    expect(server.spec).toEqual({
      type: "stdio",
      command: "/w/run",
      env: { A: "quoted value", B: "own", C: "plain", KEY: "s3cret-key" },
    });
    expect(server.unknown).toEqual({ dev: { watch: "**" } });
    expect(JSON.stringify(server.redacted)).not.toMatch(/s3cret|quoted/);
  }
});

test("Zed: context_servers among the settings, in both forms", () => {
  const forms = [
    { source: "custom", command: "a", args: ["b"], env: { C: "d" } },
    { command: { path: "a", args: ["b"], env: { C: "d" } }, settings: {} },
  ];
  for (const form of forms) {
    const server = only({ theme: "One", context_servers: { x: form } });
    expect(server.dialect).toBe("zed");
    expect(server.spec).toEqual({ type: "stdio", command: "a", args: ["b"], env: { C: "d" } });
  }
});

test("Codex: TOML with timeouts in seconds and a token from the environment", () => {
  const toml = `
model = "x"
[mcp_servers.local]
command = "npx"
args = ["-y", "x"]
startup_timeout_sec = 20
tool_timeout_sec = 45.5
enabled_tools = ["a"]
disabled_tools = ["b"]
[mcp_servers.local.env]
A = "b"
[mcp_servers.remote]
url = "https://x.test/mcp"
bearer_token_env_var = "TOKEN"
http_headers = { X-Org = "o" }
enabled = true
[mcp_servers.off]
command = "\${MISSING}"
enabled = false
`;
  const { dialect, servers, errors } = parseConfig(toml, { syntax: "toml", env: { TOKEN: "tok-123" } });
  expect(errors).toEqual(new Map());
  expect(dialect).toBe("codex");
  expect(servers.map(({ name, spec }) => [name, spec])).toEqual([
    [
      "local",
      {
        type: "stdio",
        command: "npx",
        args: ["-y", "x"],
        env: { A: "b" },
        policy: { timeouts: { connectMs: 20_000, callMs: 45_500 }, allow: ["a"], deny: ["b"] },
      },
    ],
    [
      "remote",
      { type: "http", url: "https://x.test/mcp", headers: { "X-Org": "o", Authorization: "Bearer tok-123" } },
    ],
    ["off", { type: "stdio", command: "${MISSING}", disabled: true }],
  ]);
  expect(JSON.stringify(servers.map(({ redacted }) => redacted))).not.toContain("tok-123");
});

test("Continue: a YAML list with the names inside", () => {
  const yaml = `
name: my config
mcpServers:
  - name: files
    command: npx
    args: ["-y", "x"]
  - name: far
    type: streamable-http
    url: https://x.test/mcp
`;
  const { dialect, servers } = parseConfig(yaml, { syntax: "yaml" });
  expect(dialect).toBe("continue");
  expect(servers.map(({ name, spec }) => [name, spec])).toEqual([
    ["files", { type: "stdio", command: "npx", args: ["-y", "x"] }],
    ["far", { type: "http", url: "https://x.test/mcp" }],
  ]);
});

test.each([
  [
    "a wrong root key, which is named with those that are known",
    { mcpservers: {} },
    /mcpServers.*It has: mcpservers/,
  ],
  ["two root keys", { mcpServers: {}, servers: {} }, /more than one/],
  ["no object", [], /no object/],
  ["a list of servers by name", { servers: [] }, /no object of servers/],
  ["an entry of Continue without a name", { mcpServers: [{ command: "a" }] }, /name of its own/],
  ["broken JSON", '{\n"mcpServers": {\n"x": "SECRET" "y"}}', /line 3/],
])("%s is an error", (_, source, message) => {
  expect(() => parseConfig(source)).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
  expect(() => parseConfig(source)).toThrow(message);
  expect(() => parseConfig(source)).not.toThrow(/SECRET/);
});

test.each([
  ["toml", "[a\nkey = 'SECRET'"],
  ["yaml", "a: [SECRET\nb: }"],
] as const)("broken %s is an error that quotes nothing", (syntax, text) => {
  expect(() => parseConfig(text, { syntax })).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
  expect(() => parseConfig(text, { syntax })).not.toThrow(/SECRET/);
});

test("a dialect that was asked for is insisted on", () => {
  expect(() => parseConfig({ servers: {} }, { dialect: "mcpServers" })).toThrow(/of the dialect vscode/);
});

test.each([
  ["neither command nor url", {}, /neither command nor url/],
  ["both", { command: "a", url: "https://x.test" }, /both/],
  ["args that are one text", { command: "a", args: "b c" }, /args must be a list of texts/],
  ["an unknown type", { type: "carrier-pigeon", url: "https://x.test" }, /carrier-pigeon/],
  ["a type of Object's prototype", { type: "constructor", url: "https://x.test" }, /constructor/],
  ["a type that contradicts", { type: "http", command: "a" }, /its type is stdio/],
  ["a url of another scheme", { url: "file:///etc/passwd" }, /http or https/],
  ["a negative time", { command: "a", timeout: -1 }, /timeout must be/],
])("an entry with %s is reported by name, and the others are read", (_, entry, message) => {
  const { servers, errors } = parseConfig({ mcpServers: { bad: entry, good: { command: "a" } } });
  expect(servers.map(({ name }) => name)).toEqual(["good"]);
  expect(errors.get("bad")).toMatchObject({
    code: "INVALID_CONFIG",
    server: "bad",
    message: expect.stringMatching(message),
  });
});

test.each(["${NOPE}", "${env:NOPE}", "${input:NOPE}", "${toString}"])(
  "%s without a value is an error that names it",
  (text) => {
    const { errors } = parseConfig({ mcpServers: { x: { command: "a", env: { K: text } } } }, { env: {} });
    expect(errors.get("x")).toMatchObject({
      code: "MISSING_VARIABLE",
      message: expect.stringContaining(text),
    });
  },
);

test("what is shown holds no secrets: variables, headers, flags, URLs and substituted values", () => {
  const stdio = only(
    {
      mcpServers: {
        x: {
          command: "run",
          args: ["--api-key", "AAA1", "--token=BBB1", "https://u:CCC1@x.test/?k=DDD1", "pre-${S}"],
          env: { E: "EEE1" },
        },
      },
    },
    { env: { S: "FFF1" } },
  );
  expect(JSON.stringify(stdio.redacted)).not.toMatch(/AAA1|BBB1|CCC1|DDD1|EEE1|FFF1/);
  expect(stdio.redacted).toMatchObject({ command: "run", env: { E: "[redacted]" } });
  expect(JSON.stringify(stdio.spec)).toMatch(/AAA1.*BBB1/);
  const remote = redactSpec({
    type: "http",
    url: "https://x.test/mcp?key=GGG1",
    headers: { Authorization: "HHH1" },
  });
  expect(JSON.stringify(remote)).not.toMatch(/GGG1|HHH1/);
  expect(JSON.stringify(remote)).toContain("https://x.test/mcp");
});

test("the trust hash changes with what would run, not with the values of ordinary variables", () => {
  const base = { type: "stdio", command: "run", args: ["a"], env: { KEY: "1" } } as const;
  const hash = trustHash(base);
  expect(trustHash({ ...base, env: { KEY: "2" } })).toBe(hash);
  for (const changed of [
    { ...base, command: "rum" },
    { ...base, args: ["b"] },
    { ...base, args: ["a", ""] },
    { ...base, cwd: "/" },
    { ...base, env: { KEY: "1", MORE: "2" } },
    { ...base, env: { KEY: "1", NODE_OPTIONS: "" } },
  ]) {
    expect(trustHash(changed)).not.toBe(hash);
  }
  for (const name of ["NODE_OPTIONS", "PIP_INDEX_URL", "https_proxy", "_JAVA_OPTIONS"]) {
    const withValue = (value: string): string => trustHash({ ...base, env: { [name]: value } });
    expect(withValue("--require a")).not.toBe(withValue("--require b"));
  }
});

test("R-796: what nobody has agreed to is kept apart, with the whole command to be shown, and only its secrets are not", () => {
  const before = parseConfig({ mcpServers: { a: { command: "a" }, b: { command: "b" } } });
  const trusted = new Set(before.servers.map(({ trust }) => trust));
  const after = parseConfig({
    mcpServers: {
      a: { command: "a" },
      b: { command: "curl", args: ["evil", "-o", "x", "--token", "s3cret"] },
    },
  });
  const { servers, untrusted } = selectServers(after, { trusted });
  expect(Object.keys(servers)).toEqual(["a"]);
  expect(untrusted.map(({ name, redacted }) => [name, redacted])).toEqual([
    ["b", { type: "stdio", command: "curl", args: ["evil", "-o", "x", "--token", "[redacted]"] }],
  ]);
  // Agreed to as it is now; one more argument, and it is asked again.
  const agreed = new Set([...trusted, ...untrusted.map(({ trust }) => trust)]);
  expect(selectServers(after, { trusted: agreed }).untrusted).toEqual([]);
  expect(Object.keys(selectServers(after).servers)).toEqual(["a", "b"]);
});
