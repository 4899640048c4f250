import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { deferred } from "@tenon/test-support";
import { expect, onTestFinished, test } from "vitest";

import { Interrupted } from "../src/shell.ts";
import { protectedServer } from "./protected-server.ts";
import { fixture, temporaryFolder, tenon, tenonProcess } from "./support.ts";

const notes = fixture("notes.mjs");

test.each([
  ["a live target", [notes]],
  ["a recording", ["tape.jsonl"]],
])("inspect serves the page for %s on this machine, until the interruption", async (_, target) => {
  const cwd = temporaryFolder();
  expect((await tenon(["record", notes, "--out", "tape.jsonl"], { cwd })).code).toBe(0);
  const interruption = new AbortController();
  const { promise, resolve } = deferred<string>();
  const inspecting = tenon(["inspect", ...target, "--json"], {
    cwd,
    signal: interruption.signal,
    onWrite: (stream, text) => stream === "stdout" && resolve(text),
  });
  const printed = await Promise.race([
    promise,
    inspecting.then(({ stderr }) => Promise.reject(new Error(stderr))),
  ]);
  const { url } = JSON.parse(printed) as { url: string };
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#code=\w{64}$/);
  const page = await fetch(url);
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  interruption.abort(new Interrupted());
  await inspecting;
  await expect(fetch(url)).rejects.toThrow();
});

test("inspect refuses a target that does not exist", async () => {
  const refused = await tenon(["inspect", "no-such-target"]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("no-such-target");
});

interface Shown {
  readonly source: {
    readonly phase: string;
    readonly label: string;
    readonly reason?: string;
    readonly session?: number;
    readonly login?: {
      readonly phase: string;
      readonly isLoggedOut?: true;
      readonly scopes: readonly string[];
      readonly url?: string;
    };
  };
  readonly calls: readonly { readonly phase: string; readonly call: string }[];
  readonly chat?: {
    readonly isBusy: boolean;
    readonly reason?: string;
    readonly messages: readonly {
      readonly role: string;
      readonly text: string;
      readonly calls?: readonly { readonly id: string; readonly name: string; readonly phase: string }[];
    }[];
  };
}

interface FakeBrowser {
  act(action: object): Promise<unknown>;
  /** Waits for a state of a server, by default the first. */
  state(matches: (state: Shown) => boolean, server?: string): Promise<Shown>;
  /** Everything that a page can get: the files, the states, the lines and the exports. */
  everything(): Promise<string>;
  close(): Promise<void>;
}

/** A browser without a window at the page of `tenon inspect`. */
async function openBrowser(
  target: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<FakeBrowser> {
  const interruption = new AbortController();
  const { promise, resolve } = deferred<string>();
  const inspecting = tenon(["inspect", ...target, "--json"], {
    cwd,
    env,
    signal: interruption.signal,
    onWrite: (stream, text) => stream === "stdout" && resolve(text),
  });
  const { url } = JSON.parse(await promise) as { url: string };
  const { origin, hash } = new URL(url);
  const session = await fetch(`${origin}/session`, {
    method: "POST",
    headers: { origin },
    body: new URLSearchParams(hash.slice(1)).get("code") ?? "",
  });
  const { key } = (await session.json()) as { key: string };
  const headers = {
    origin,
    cookie: session.headers.get("set-cookie")?.split(";")[0] ?? "",
    "x-inspector-key": key,
    "content-type": "application/json",
  };
  return {
    async act(action: object): Promise<unknown> {
      const response = await fetch(`${origin}/action`, {
        method: "POST",
        headers,
        body: JSON.stringify(action),
      });
      return response.ok ? response.json() : Promise.reject(new Error(await response.text()));
    },
    async everything(): Promise<string> {
      const read = async (path: string): Promise<string> =>
        (await fetch(`${origin}/${path}`, { headers })).text();
      const { body } = await fetch(`${origin}/events`, { headers });
      const events = (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
      let seen = "";
      while (!seen.includes('"type":"lines"')) {
        seen += (await events.read()).value ?? "";
      }
      await events.cancel();
      const all = ["", "page.js", "chat.js", "line?seq=1", "line?seq=2"];
      const exports = ["jsonl", "har", "html", "test"].map((format) => `export?format=${format}`);
      const files = await Promise.all([...all, ...exports].map(read));
      return [seen, ...files].join("\n");
    },
    async state(matches: (state: Shown) => boolean, server?: string): Promise<Shown> {
      const { body } = await fetch(`${origin}/events`, { headers });
      let rest = "";
      for await (const text of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
        const parts = (rest + text).split("\n\n");
        rest = parts.pop() ?? "";
        for (const part of parts) {
          const event = JSON.parse(part.slice(6)) as {
            type: string;
            state: { servers: readonly (Shown & { id: string })[] };
          };
          if (event.type === "state") {
            const { servers } = event.state;
            const seen = server === undefined ? servers[0] : servers.find(({ id }) => id === server);
            if (seen !== undefined && matches(seen)) {
              return seen;
            }
          }
        }
      }
      throw new Error("The inspector was closed.");
    },
    async close(): Promise<void> {
      interruption.abort(new Interrupted());
      await inspecting;
    },
  };
}

/** Clicks the button, and agrees at the page of the authorization server. */
async function agree(browser: FakeBrowser): Promise<void> {
  await browser.act({ do: "login" });
  const { source } = await browser.state(({ source: { login } }) => login?.url !== undefined);
  expect((await fetch(source.login?.url ?? "")).status).toBe(200);
}

test("a person logs in at the page, again when a call needs further rights, and out", async () => {
  const url = await protectedServer();
  const browser = await openBrowser([url], temporaryFolder());
  const refused = await browser.state(({ source }) => source.login?.phase === "required");
  expect(refused.source.reason ?? "").not.toContain("login()");
  await agree(browser);
  const first = await browser.state(({ source: { phase } }) => phase === "open");
  expect(first.source.login).toBeUndefined();

  const call = { do: "call", method: "tools/call", params: { name: "echo", arguments: {} } };
  await browser.act({ ...call, call: "c1" });
  const denied = await browser.state(({ source: { login } }) => login?.phase === "required");
  expect(denied.source.login?.scopes).toContain("notes:write");
  await agree(browser);
  await browser.state(({ source: { phase, session } }) => phase === "open" && session === 2);
  await browser.act({ ...call, call: "c2" });
  await browser.state(({ calls }) => calls.some(({ call: id, phase }) => id === "c2" && phase === "done"));

  await browser.act({ do: "logout" });
  const left = await browser.state(({ source: { login } }) => login?.phase === "required");
  expect(left.source).toMatchObject({ phase: "failed", login: { isLoggedOut: true } });
  await browser.close();
});

test("a logout by another process is shown at the next call, which is sent once, and a login follows", async () => {
  let posts = 0;
  const url = await protectedServer({}, () => posts++);
  const cwd = temporaryFolder();
  const browser = await openBrowser([url], cwd);
  const first = await browser.state(({ source }) => source.login?.phase === "required");
  expect(first.source.login).not.toHaveProperty("isLoggedOut");
  await agree(browser);
  await browser.state(({ source: { phase } }) => phase === "open");

  expect(await tenonProcess(["logout", url], cwd)).toMatchObject({ code: 0 });
  const before = posts;
  await browser.act({ do: "call", call: "c1", method: "tools/list", params: {} });
  const { source } = await browser.state(({ source: { login } }) => login?.phase === "required");
  expect(source).toMatchObject({ canLogIn: true, login: { isLoggedOut: true } });
  expect(posts - before).toBe(1);
  await browser.act({ do: "definitions" }).catch(() => {});
  expect((await browser.state(() => true)).source).toMatchObject({ login: { isLoggedOut: true } });

  await agree(browser);
  const open = await browser.state(({ source: { phase, session } }) => phase === "open" && session === 2);
  expect(open.source.login).toBeUndefined();
  await browser.close();
});

test("a person opens configured servers and a URL beside the first, but no command", async () => {
  const cwd = temporaryFolder();
  const configure = (args: readonly string[]): Promise<void> =>
    writeFile(
      join(cwd, ".mcp.json"),
      JSON.stringify({ mcpServers: { notes: { command: process.execPath, args } } }),
    );
  await configure([fixture("watched.mjs"), "--token", "hunter2secret"]);
  const browser = await openBrowser([notes], cwd);
  await browser.state(({ source: { phase } }) => phase === "open");
  const [choice] = (await browser.act({ do: "servers" })) as { id: string; name: string; label: string }[];
  expect(choice).toMatchObject({ name: "notes", label: expect.not.stringContaining("hunter2secret") });
  const open = async (to: object): Promise<string> =>
    ((await browser.act({ do: "open", to })) as { server: string }).server;
  const configured = await open({ id: choice?.id });
  await browser.state(({ source: { phase, label } }) => phase === "open" && label === "notes", configured);
  const url = await protectedServer();
  await browser.state(
    ({ source: { login, label } }) => login?.phase === "required" && label === url,
    await open({ url }),
  );
  await browser.state(({ source: { phase } }) => phase === "open");

  // Its configuration is read again when it connects again.
  await configure([fixture("nosuch.mjs")]);
  await browser.act({ do: "disconnect", server: configured });
  await browser.state(({ source: { phase } }) => phase === "closed", configured);
  await browser.act({ do: "connect", server: configured });
  await browser.state(({ source: { phase } }) => phase === "failed", configured);

  await expect(open({ url: "node evil.js" })).rejects.toThrow("Expected a URL");
  await expect(open({ id: "evil" })).rejects.toThrow("no longer has this server");
  await browser.close();
});

test("a person chats with a model of their own, which calls tools that they allow, and its key stays in the process", async () => {
  const key = "canary-5e1f0c7d92ab4466";
  const asked: { readonly authorization: string | undefined; readonly body: string }[] = [];
  // A proxy that sends back the key that it got.
  const vendor = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      const { authorization } = request.headers;
      asked.push({ authorization, body });
      if (body.includes("fail now")) {
        response.writeHead(401).end(JSON.stringify({ error: { message: `no ${authorization}` } }));
        return;
      }
      const { messages } = JSON.parse(body) as { messages: readonly { role: string }[] };
      const message =
        messages.at(-1)?.role === "tool"
          ? { content: `Found. ${authorization}` }
          : {
              content: "",
              tool_calls: [
                { id: "1", type: "function", function: { name: "echo", arguments: '{"query":"milk"}' } },
              ],
            };
      response.writeHead(200).end(JSON.stringify({ choices: [{ message }] }));
    });
  });
  await new Promise<void>((resolve) => vendor.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void vendor.close());
  const base = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
  const browser = await openBrowser(
    [notes, "--model", "openai:test", "--model-url", base],
    temporaryFolder(),
    { OPENAI_API_KEY: key },
  );
  await browser.state(({ source: { phase } }) => phase === "open");
  const said = browser.act({ do: "say", text: "Find milk" });
  const { chat } = await browser.state(
    ({ chat: one }) => one?.messages.at(-1)?.calls?.[0]?.phase === "asking",
  );
  const [call] = chat?.messages.at(-1)?.calls ?? [];
  expect((await browser.state(() => true)).calls).toEqual([]);
  await browser.act({ do: "approve", call: call?.id, approval: "once" });
  await said;
  const done = await browser.state(({ chat: one }) => one?.isBusy === false);
  expect(done.chat?.messages.at(-1)?.text).toBe("Found. Bearer [redacted]");
  expect(done.calls).toMatchObject([{ call: call?.id, phase: "done" }]);
  await browser.act({ do: "say", text: "fail now" });
  const failed = await browser.state(({ chat: one }) => one?.reason !== undefined);
  expect(failed.chat?.reason).toMatch(/^openai responds with 401: no /);

  expect(asked.map(({ authorization }) => authorization)).toEqual(Array(3).fill(`Bearer ${key}`));
  expect(asked.map(({ body }) => body).join()).not.toContain(key);
  const everything = await browser.everything();
  expect(everything).toContain("echo");
  expect(everything).not.toContain(key);
  await browser.close();
});

test("the headers of the command line go to its server alone, not to a URL of the page", async () => {
  const received = await Promise.all([listening(), listening()]);
  const [first, second] = received;
  const browser = await openBrowser(
    [first.url, "--header", "Authorization: Bearer secret-of-the-first"],
    temporaryFolder(),
  );
  await first.asked;
  await browser.act({ do: "open", to: { url: second.url } });
  await second.asked;
  await browser.close();
  expect(first.authorizations).toContain("Bearer secret-of-the-first");
  expect(second.authorizations.every((header) => header === undefined)).toBe(true);
});

/** A server that refuses every request, and keeps what it was authorized by. */
async function listening(): Promise<{
  readonly url: string;
  readonly authorizations: (string | undefined)[];
  readonly asked: Promise<void>;
}> {
  const authorizations: (string | undefined)[] = [];
  const asked = deferred();
  const server = createServer((request, response) => {
    authorizations.push(request.headers.authorization);
    asked.resolve();
    response.writeHead(500).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/mcp`, authorizations, asked: asked.promise };
}
