import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { deferred } from "@tenon/test-support";
import { expect, onTestFinished, test } from "vitest";

import { Interrupted } from "../src/shell.ts";
import { protectedServer } from "./protected-server.ts";
import { fixture, temporaryFolder, tenon } from "./support.ts";

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
    readonly login?: { readonly phase: string; readonly scopes: readonly string[]; readonly url?: string };
  };
  readonly calls: readonly { readonly phase: string; readonly call: string }[];
}

interface FakeBrowser {
  act(action: object): Promise<unknown>;
  /** Waits for a state of the inspector. */
  state(matches: (state: Shown) => boolean): Promise<Shown>;
  close(): Promise<void>;
}

/** A browser without a window at the page of `tenon inspect`. */
async function openBrowser(target: readonly string[], cwd: string): Promise<FakeBrowser> {
  const interruption = new AbortController();
  const { promise, resolve } = deferred<string>();
  const inspecting = tenon(["inspect", ...target, "--json"], {
    cwd,
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
    async state(matches: (state: Shown) => boolean): Promise<Shown> {
      const { body } = await fetch(`${origin}/events`, { headers });
      let rest = "";
      for await (const text of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
        const parts = (rest + text).split("\n\n");
        rest = parts.pop() ?? "";
        for (const part of parts) {
          const event = JSON.parse(part.slice(6)) as { type: string; state: Shown };
          if (event.type === "state" && matches(event.state)) {
            return event.state;
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

test("a person logs in at the page, and again when a call needs further rights", async () => {
  const url = await protectedServer();
  const browser = await openBrowser([url], temporaryFolder());
  const refused = await browser.state(({ source }) => source.login?.phase === "required");
  expect(refused.source.reason ?? "").not.toContain("login()");
  /** Clicks the button, and agrees at the page of the authorization server. */
  const logIn = async (): Promise<void> => {
    await browser.act({ do: "login" });
    const { source } = await browser.state(({ source: { login } }) => login?.url !== undefined);
    expect((await fetch(source.login?.url ?? "")).status).toBe(200);
  };
  await logIn();
  const first = await browser.state(({ source: { phase } }) => phase === "open");
  expect(first.source.login).toBeUndefined();

  const call = { do: "call", method: "tools/call", params: { name: "echo", arguments: {} } };
  await browser.act({ ...call, call: "c1" });
  const denied = await browser.state(({ source: { login } }) => login?.phase === "required");
  expect(denied.source.login?.scopes).toContain("notes:write");
  await logIn();
  await browser.state(({ source: { phase, session } }) => phase === "open" && session === 2);
  await browser.act({ ...call, call: "c2" });
  await browser.state(({ calls }) => calls.some(({ call: id, phase }) => id === "c2" && phase === "done"));
  await browser.close();
});

test("a person goes from one configured server to another, and to a URL, but to no command", async () => {
  const cwd = temporaryFolder();
  const servers = {
    notes: { command: process.execPath, args: [fixture("watched.mjs"), "--token", "hunter2secret"] },
  };
  await writeFile(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: servers }));
  const browser = await openBrowser([notes], cwd);
  await browser.state(({ source: { phase } }) => phase === "open");
  const [choice] = (await browser.act({ do: "servers" })) as { id: string; name: string; label: string }[];
  expect(choice).toMatchObject({ name: "notes", label: expect.not.stringContaining("hunter2secret") });
  await browser.act({ do: "switch", to: { id: choice?.id } });
  await browser.state(
    ({ source: { phase, label, session } }) => phase === "open" && label === "notes" && session === 2,
  );
  const url = await protectedServer();
  await browser.act({ do: "switch", to: { url } });
  await browser.state(({ source: { login, label } }) => login?.phase === "required" && label === url);
  await expect(browser.act({ do: "switch", to: { url: "node evil.js" } })).rejects.toThrow("Expected a URL");
  await expect(browser.act({ do: "switch", to: { id: "evil" } })).rejects.toThrow(
    "no longer has this server",
  );
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
  await browser.act({ do: "switch", to: { url: second.url } });
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
