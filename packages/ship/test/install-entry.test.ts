import { expect, test } from "vitest";

import { hostFiles, hostNames, type HostName, type Place } from "../src/hosts.ts";
import { entryFor } from "../src/install/entry.ts";
import { forms, type ProgramEntry, type RemoteEntry } from "../src/install/form.ts";
import { shownEntry } from "../src/install/shown.ts";

function entry(
  host: HostName,
  server: ProgramEntry | RemoteEntry,
  earlier?: object,
): Record<string, unknown> {
  return entryFor(host, "Host", "notes", server, earlier as Record<string, unknown>);
}

test.each(hostNames.filter((host) => host !== "claude-desktop"))(
  "%s: a server that becomes remote and a program again leaves nothing of the other kind",
  (host) => {
    const { envKey, variablesKey } = forms[host];
    const program: ProgramEntry = {
      command: "a",
      args: ["b"],
      env: { KEY: "k" },
      ...(variablesKey === undefined ? {} : { variables: ["OTHER"] }),
    };
    const remote: RemoteEntry = { url: "https://a.example/mcp", headers: { Authorization: "Bearer t" } };
    const own = { disabled: true, extra: "mine" };
    const settings = { ...own, cwd: "/x", envFile: "/y" };
    const asRemote = entry(host, remote, { ...entry(host, program), ...settings });
    expect(asRemote).toEqual({ ...entry(host, remote), ...own });
    expect(entry(host, program, { ...asRemote, oauth: { clientId: "c" } })).toEqual({
      ...entry(host, program),
      ...own,
    });
    expect(Object.keys(entry(host, program))).toContain(envKey);
  },
);

test.each(["codex", "goose"] as const)("%s: a variable has a value or is passed on, not both", (host) => {
  const { envKey, variablesKey = "" } = forms[host];
  const passed = entry(
    host,
    { command: "a", variables: ["KEY"] },
    entry(host, { command: "a", env: { KEY: "secret", B: "b" } }),
  );
  expect([passed[envKey], passed[variablesKey]]).toEqual([{ B: "b" }, ["KEY"]]);
  const more = entry(host, { command: "a", variables: ["MORE", "KEY"] }, passed);
  expect(more[variablesKey]).toEqual(["KEY", "MORE"]);
  const set = entry(host, { command: "a", env: { KEY: "v" } }, more);
  expect([set[envKey], set[variablesKey]]).toEqual([{ B: "b", KEY: "v" }, ["MORE"]]);
});

test("headers stay for the same URL only, and each is set once", () => {
  const earlier = {
    url: "https://a.example/mcp",
    headers: { Authorization: "Bearer t", "X-A": "a" },
    auth: {},
  };
  expect(entry("cursor", { url: "https://A.example/mcp" }, earlier)).toMatchObject({
    headers: earlier.headers,
    auth: {},
  });
  const set = { url: "https://a.example/mcp", headers: { authorization: "Bearer u" } };
  expect(entry("cursor", set, earlier)).toMatchObject({
    headers: { "X-A": "a", authorization: "Bearer u" },
  });
  expect(entry("cursor", { url: "https://b.example/mcp" }, earlier)).toEqual({
    url: "https://b.example/mcp",
  });
  const codex = { url: set.url, bearer_token_env_var: "T", env_http_headers: { "X-A": "A", "X-B": "B" } };
  expect(entry("codex", { ...set, headers: { ...set.headers, "x-a": "1" } }, codex)).toEqual({
    url: set.url,
    env_http_headers: { "X-B": "B" },
    http_headers: { authorization: "Bearer u", "x-a": "1" },
  });
  const requestOptions = { verifySsl: false, headers: { "X-A": "a" } };
  expect(entry("continue", { url: "https://b.example/mcp" }, { ...earlier, requestOptions })).toMatchObject({
    requestOptions: { verifySsl: false },
  });
});

test("no credential reaches another server, and settings without one stay", () => {
  const access = {
    apiKey: "s",
    password: "s",
    cookies: ["s"],
    settings: { api_key: "s", list: [{ key: "s", id: 1 }], depth: { passphrase: "s" } },
    requestOptions: { verifySsl: false, headers: { A: "s" }, clientCertificate: { cert: "s", key: "s" } },
    env: { LEVEL: "s" },
    envFile: "s",
    disabled: true,
    empty: {},
    since: new Date(0),
  };
  const kept = { settings: { list: [{ id: 1 }] }, disabled: true, empty: {}, since: new Date(0) };
  const earlier = { url: "https://a.example/mcp", ...access };
  for (const host of ["continue", "zed"] as const) {
    expect(entry(host, { url: "https://a.example/mcp" }, earlier)).toMatchObject(access);
    const [moved, program] = [{ url: "https://b.example/mcp" }, { command: "node" }];
    expect(entry(host, moved, earlier)).toEqual({
      ...entry(host, moved),
      ...kept,
      requestOptions: { verifySsl: false },
    });
    expect(entry(host, program, earlier)).toEqual({ ...entry(host, program), ...kept });
    expect(entry(host, moved, { command: "node", ...access })).toEqual({ ...entry(host, moved), ...kept });
  }
});

test("settings that the user has changed are not reset", () => {
  expect(entry("copilot", { command: "a" }, { command: "b", tools: ["read"] })).toMatchObject({
    tools: ["read"],
  });
  expect(
    entry("goose", { command: "a" }, { cmd: "b", enabled: false, timeout: 9, description: "d" }),
  ).toMatchObject({ enabled: false, timeout: 9, description: "d" });
});

const place: Place = { cwd: "/p", home: "/home/me", platform: "linux", env: {} };

test.each([
  [{}, "claude-code", "/home/me/.claude.json"],
  [{ CLAUDE_CONFIG_DIR: "/c" }, "claude-code", "/c/.claude.json"],
  [{ CODEX_HOME: "/c" }, "codex", "/c/config.toml"],
  [{ COPILOT_HOME: "/c" }, "copilot", "/c/mcp-config.json"],
  [{ GEMINI_CLI_HOME: "/c" }, "gemini", "/c/.gemini/settings.json"],
  [{ CRUSH_GLOBAL_CONFIG: "/c" }, "crush", "/c/crush.json"],
  [{ GOOSE_PATH_ROOT: "/c" }, "goose", "/c/config/config.yaml"],
  [{ GOOSE_PATH_ROOT: "relative" }, "goose", "/home/me/.config/goose/config.yaml"],
  [{ CONTINUE_GLOBAL_DIR: "/c" }, "continue", "/c/config.yaml"],
  [{ AMP_SETTINGS_FILE: "/c/amp.json" }, "amp", "/c/amp.json"],
  [{ XDG_CONFIG_HOME: "/x" }, "opencode", "/x/opencode/opencode.json"],
] as const)("with %j the file of %s is %s", (env, host, file) => {
  const found = hostFiles({ ...place, env }).find((each) => each.host === host && each.scope === "user");
  expect(found?.paths[0]).toBe(file);
});

/** Strings that a user would not want to be seen. None of them looks like a secret. */
const secrets = [
  "HUNTERTWO",
  "123",
  "abcd",
  "abcdrest",
  "line one\nline two",
  'Abc\\n"x',
  "12345678",
  "/s/abcd",
  "-phunter2",
];

test("no value of an entry is shown", () => {
  const values = Object.fromEntries(secrets.map((each, index) => [`K${index}`, each]));
  for (const host of hostNames) {
    const made = {
      ...entry(host, { command: "node", args: secrets, env: values }),
      ...(host === "claude-desktop"
        ? {}
        : entry(host, { url: "https://a.example/abcd?k=123#abcd", headers: values })),
      apiKey: "abcd",
      port: 123,
      nested: { deep: { key: "abcd" }, list: ["123"] },
      alwaysAllow: secrets,
      ...(host === "zed" ? { command: { path: "HUNTERTWO" } } : {}),
    };
    for (const earlier of [undefined, {}, { ...made, apiKey: "other" }]) {
      const text = JSON.stringify(shownEntry(forms[host], "notes", made, earlier));
      const kept = secrets.filter((each) => text.includes(JSON.stringify(each).slice(1, -1)));
      expect(kept).toEqual([]);
    }
  }
});

test("names, references, options, packages and the server are shown, and changes are marked", () => {
  const shown = (host: HostName, made: Record<string, unknown>, earlier?: Record<string, unknown>): unknown =>
    shownEntry(forms[host], "notes", made, earlier);
  const args = ["-y", "@me/notes@1.0.0", "--root", process.execPath, "--token=abcd", "abcd"];
  expect(shown("cursor", { command: "npx", args, env: { KEY: "${env:KEY}", OTHER: "${env:KEY}" } })).toEqual({
    command: "npx",
    args: ["-y", "@me/notes@1.0.0", "--root", process.execPath, "--token=[redacted]", "[redacted]"],
    env: { KEY: "${env:KEY}", OTHER: "[redacted]" },
  });
  expect(shown("opencode", { command: ["sh", "-c", "KEY=abcd notes"], enabled: true })).toEqual({
    command: ["sh", "-c", "[redacted]"],
    enabled: true,
  });
  expect(shown("amp", { url: "https://u:p@a.example:8443/api/v1/abcd/mcp?x=1" })).toEqual({
    url: "https://[redacted]@a.example:8443/api/v1/[redacted]/mcp?[redacted]",
  });
  expect(shown("cursor", { env: { A: "1", B: "2", C: "3" } }, { env: { A: "1", B: "1" } })).toEqual({
    env: { A: "[redacted]", B: "[redacted]: changed", C: "[redacted]" },
  });
  expect(shown("codex", { env_vars: ["KEY", "not a name"] })).toEqual({ env_vars: ["KEY", "[redacted]"] });
});
