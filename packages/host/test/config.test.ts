import { expect, test } from "vitest";

import { parseConfig, selectServers } from "../src/node.ts";

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
      "files": { "command": "npx", "args": ["-y", "x"], "env": { "A": "b", "N": 1 }, "autoApprove": ["read"], "timeout": 60000, },
    },
  }`);
  expect(server.dialect).toBe("mcpServers");
  expect(server.spec).toEqual({
    type: "stdio",
    command: "npx",
    args: ["-y", "x"],
    env: { A: "b", N: "1" },
    policy: { limits: { totalTimeoutMs: 60_000 } },
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
    policy: { limits: { totalTimeoutMs: 256_000 } },
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

test.each([
  ["yaml", 65_537, "is longer than 65536 characters"],
  ["toml", 1_048_577, "is longer than 1048576 characters"],
  ["json", 262_145, "is not plain JSON, and is longer than 262144 characters"],
  ["json", 4_194_305, "is longer than 4194304 characters"],
] as const)(
  "%s of %i characters that its slow parser would have to read is refused unread (N-202)",
  (syntax, length, why) => {
    const text = "[".repeat(length);
    expect(() => parseConfig(text, { syntax })).toThrow(`The configuration ${why}.`);
  },
);

test("plain JSON may be long: what a host has noted in its file costs little", () => {
  const notes = "x".repeat(1_000_000);
  expect(only(JSON.stringify({ notes, mcpServers: { x: { command: "a" } } })).spec).toMatchObject({
    command: "a",
  });
});

test.each([
  // Cline and Roo Code (seconds, at most an hour), Zed (seconds).
  ["mcpServers", 1, 1000],
  ["mcpServers", 60, 60_000],
  ["mcpServers", 3600, 3_600_000],
  ["context_servers", 60, 60_000],
  // Claude Code, Gemini CLI, Copilot, Amazon Q; older versions of Zed.
  ["mcpServers", 5000, 5000],
  ["mcpServers", 600_000, 600_000],
  ["context_servers", 60_000, 60_000],
] as const)(
  "the timeout of an entry of %s: %i is %i milliseconds, whether its host counts seconds or not",
  (root, timeout, totalTimeoutMs) => {
    const { spec } = only({ [root]: { x: { command: "a", timeout } } });
    expect(spec.policy).toEqual({ limits: { totalTimeoutMs } });
  },
);

test("Continue: connectionTimeout in milliseconds, and headers among requestOptions", () => {
  const [near, far] = parseConfig({
    mcpServers: [
      { name: "near", command: "a", connectionTimeout: 5000 },
      { name: "far", url: "https://x.test/mcp", requestOptions: { headers: { "X-A": "b" } } },
    ],
  }).servers;
  expect(near?.spec.policy).toEqual({ limits: { connectTimeoutMs: 5000 } });
  expect(far?.spec).toEqual({ type: "http", url: "https://x.test/mcp", headers: { "X-A": "b" } });
});

test("Gemini CLI and Cline: includeTools, every list of excluded tools, and the older transportType", () => {
  const { spec } = only({
    mcpServers: {
      x: {
        url: "https://x.test/sse",
        transportType: "sse",
        includeTools: ["a"],
        excludeTools: ["b"],
        disabledTools: ["c"],
      },
    },
  });
  expect(spec).toEqual({
    type: "sse",
    url: "https://x.test/sse",
    policy: { allow: ["a"], deny: ["c", "b"] },
  });
});

test("Codex: env_vars passes variables on where they are set, env_http_headers makes headers of them", () => {
  const source = {
    mcp_servers: {
      near: { command: "a", env_vars: ["SET", "UNSET"] },
      far: { url: "https://x.test/mcp", env_http_headers: { "X-Key": "SET" } },
    },
  };
  const { servers, errors } = parseConfig(source, { env: { SET: "value-1" } });
  expect(servers.map(({ spec }) => spec)).toEqual([
    { type: "stdio", command: "a", env: { SET: "value-1" } },
    { type: "http", url: "https://x.test/mcp", headers: { "X-Key": "value-1" } },
  ]);
  expect(errors.size).toBe(0);
  expect(parseConfig(source, { env: {} }).errors.get("far")).toMatchObject({ code: "MISSING_VARIABLE" });
});

test("a hostile envFile and a hostile YAML are read, or refused, in linear time", () => {
  const spaces = " ".repeat(1_000_000);
  const readFile = (): string => `A=b${spaces}c\n${spaces}\nexport B = "d" \nno name = 1\n=2\n`;
  const { spec } = only({ mcpServers: { a: { command: "a", envFile: "f" } } }, { readFile });
  expect(spec).toMatchObject({ env: { A: `b${spaces}c`, B: "d" } });
  const keys = Array.from({ length: 100_000 }, (_, index) => `k${index}: &a${index} 1`).join("\n");
  expect(() => parseConfig(keys, { syntax: "yaml" })).toThrow(/longer than 65536/);
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
        policy: { limits: { connectTimeoutMs: 20_000, totalTimeoutMs: 45_500 }, allow: ["a"], deny: ["b"] },
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
  ["a list of servers by name", { servers: [] }, /servers must be an object of servers by name/],
  ["an entry of Continue without a name", { mcpServers: [{ command: "a" }] }, /name of its own/],
  [
    "broken JSON",
    '{\n"mcpServers": {\n"x": "SECRET" "y"}}',
    /^The configuration is not valid JSON: line 3, column 15: unexpected '"'\.$/,
  ],
  ["JSON with a word without quotes", '{"mcpServers": SECRET}', /line 1, column 16: unexpected character\.$/],
  ["JSON that ends too early", '{"mcpServers": {', /line 1, column 17: the text ends too early\.$/],
])("%s is an error", (_, source, message) => {
  expect(() => parseConfig(source)).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
  expect(() => parseConfig(source)).toThrow(message);
  expect(() => parseConfig(source)).not.toThrow(/SECRET/);
});

test.each([
  ["toml", "[a\nkey = 'SECRET'", /not valid TOML: line 1, column 3/],
  [
    "toml",
    "a = 1\nb = [1 'SECRET'",
    /not valid TOML: line 2, column \d+: expected comma or end of structure\./,
  ],
  ["yaml", "a: [SECRET\nb: }", /not valid YAML: line 2, column 1: bad indent\.$/],
] as const)("broken %s is an error that names the place and quotes nothing: %j", (syntax, text, message) => {
  expect(() => parseConfig(text, { syntax })).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
  expect(() => parseConfig(text, { syntax })).toThrow(message);
  expect(() => parseConfig(text, { syntax })).not.toThrow(/SECRET/);
});

test("a dialect that was asked for is insisted on", () => {
  expect(() => parseConfig({ servers: {} }, { dialect: "mcpServers" })).toThrow(/of the dialect vscode/);
});

test.each([
  ["neither command nor url", {}, /^Either command or url must be set; got neither\.$/],
  ["a misspelt command", { comand: "a" }, /An entry has no option "comand"\. Did you mean command\?$/],
  [
    "a misspelt url",
    { httpURL: "https://x.test" },
    /An entry has no option "httpURL"\. Did you mean httpUrl\?$/,
  ],
  ["both", { command: "a", url: "https://x.test" }, /both/],
  [
    "args that are one text",
    { command: "a", args: "b SECRET" },
    /^args must be a list of strings; got string\.$/,
  ],
  ["an unknown type", { type: "carrier-pigeon", url: "https://x.test" }, /carrier-pigeon/],
  ["a type of Object's prototype", { type: "constructor", url: "https://x.test" }, /constructor/],
  ["a type that contradicts", { type: "http", command: "a" }, /type must be stdio/],
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
  // The name is written in front of the message.
  expect(errors.get("bad")?.message).not.toMatch(/bad|SECRET/);
});

test.each(["${NOPE}", "${env:NOPE}", "${input:NOPE}", "${toString}"])(
  "%s without a value is an error that names it",
  (text) => {
    const { errors } = parseConfig({ mcpServers: { x: { command: "a", env: { K: text } } } }, { env: {} });
    expect(errors.get("x")).toMatchObject({
      code: "MISSING_VARIABLE",
      message: `${text} must have a value.`,
    });
  },
);
