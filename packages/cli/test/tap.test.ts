import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { buffer, text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

import { deferred } from "@tenon/test-support";
import { parseCassette } from "@tenon/testing/cassette";
import { expect, onTestFinished, test } from "vitest";

import { fixture, json, program, self, temporaryFolder, tenon } from "./support.ts";

const notes = fixture("notes.mjs");

/** A host that talks to `tenon tap` over its standard input and output. */
function tapped(cwd: string, ...flags: readonly string[]) {
  // Over SSH no browser is opened.
  return tappedIn({ ...process.env, SSH_TTY: "none" }, cwd, ...flags);
}

function tappedIn(env: NodeJS.ProcessEnv, cwd: string, ...flags: readonly string[]) {
  const [command, ...args] = self;
  const child = spawn(command, [...args, "tap", "--out", "tap.jsonl", ...flags, ...program("loud.mjs")], {
    cwd,
    stdio: ["pipe", "pipe", "pipe"],
    env,
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const notes = createInterface({ input: child.stderr })[Symbol.asyncIterator]();
  const ask = async (message: object): Promise<unknown> => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const { value } = await lines.next();
    return JSON.parse(value as string);
  };
  const noteWith = async (text: string): Promise<string> => {
    for (;;) {
      const { value, done } = await notes.next();
      if (done === true || value.includes(text)) {
        return value as string;
      }
    }
  };
  const end = async (): Promise<void> => {
    const exited = once(child, "exit");
    child.stdin.end();
    await exited;
  };
  return { ask, noteWith, end };
}

const hello = {
  id: "a",
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "host", version: "1" } },
};

test("tap records the requests that pass", async () => {
  const cwd = temporaryFolder();
  const { ask, end } = tapped(cwd);
  expect(await ask(hello)).toMatchObject({ id: "a", result: { serverInfo: { name: "loud" } } });
  expect(await ask({ id: 7, method: "odd/method" })).toEqual({
    jsonrpc: "2.0",
    id: 7,
    error: { code: -32601, message: "no" },
  });
  await end();
  const { spans } = (await json(["trace", "view", "tap.jsonl"], { cwd })) as { spans: { method: string }[] };
  expect(spans.map(({ method }) => method)).toEqual(["initialize", "odd/method"]);
});

test("tap shows the messages in the inspector page, and sends the requests to a collector", async () => {
  const received = deferred<{ path: string | undefined; body: string }>();
  const collector = createServer((request, response) => {
    void text(request).then((body) => {
      received.resolve({ path: request.url, body });
      response.end("{}");
    });
  }).listen(0, "127.0.0.1");
  await once(collector, "listening");
  onTestFinished(() => void collector.close());
  const { port } = collector.address() as AddressInfo;
  const browser = temporaryFolder();
  const opened = join(browser, "opened");
  // The program of Linux is looked up on PATH.
  const script = `#!/bin/sh\nprintf %s "$*" > '${opened}'\ncat "\${1#file://}" >> '${opened}'\n`;
  writeFileSync(join(browser, "xdg-open"), script, { mode: 0o755 });
  const { SSH_CONNECTION: _, SSH_TTY: _tty, ...env } = process.env;
  const { ask, noteWith, end } = tappedIn(
    { ...env, DISPLAY: ":0", PATH: `${browser}:${env["PATH"]}` },
    temporaryFolder(),
    ...["--open", "--otlp", `http://127.0.0.1:${port}`],
  );
  const [link = ""] = /http:\S+/.exec(await noteWith("shows the messages")) ?? [];
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#code=\w{64}$/);
  expect((await fetch(link)).headers.get("content-type")).toBe("text/html; charset=utf-8");
  await ask(hello);
  const sent = noteWith("tap: sent");
  await end();
  if (process.platform === "linux") {
    // All users see the arguments of a program. The link is in a file, which is gone by now.
    const [argument = "", page] = readFileSync(opened, "utf8").split("<!doctype html>");
    expect(argument).toMatch(/^file:.*\.html$/);
    expect(page).toContain(link);
    expect(existsSync(fileURLToPath(argument))).toBe(false);
  }
  expect(await sent).toBe(`tap: sent 1 request to http://127.0.0.1:${port}/v1/traces`);
  const { path, body } = await received.promise;
  expect(path).toBe("/v1/traces");
  expect(JSON.parse(body)).toMatchObject({
    resourceSpans: [{ scopeSpans: [{ spans: [{ name: "initialize", kind: 3 }] }] }],
  });
});

test("tap keeps the recording if the collector refuses the requests, and refuses an address that is none", async () => {
  const collector = createServer((request, response) => {
    request.resume();
    response.writeHead(401).end("who are you?");
  }).listen(0, "127.0.0.1");
  await once(collector, "listening");
  onTestFinished(() => void collector.close());
  const { port } = collector.address() as AddressInfo;
  const cwd = temporaryFolder();
  const { ask, noteWith, end } = tapped(cwd, "--otlp", `http://127.0.0.1:${port}/v1/traces`);
  await ask(hello);
  const warned = noteWith("not sent");
  await end();
  expect(await warned).toContain("status 401: who are you?");
  expect((await json(["trace", "view", "tap.jsonl"], { cwd })) as object).toMatchObject({ spans: [{}] });
  const refused = await tenon(["tap", notes, "--otlp", "localhost"], { cwd });
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('got "localhost"')]);
});

test("tap passes every byte on, names input that is no message, and ends like the program", async () => {
  const cwd = temporaryFolder();
  const sent = '{"jsonrpc" : "2.0", "method":"odd", "params":{"n":1.00}}\n\r\nGET / HTTP/1.1\n{"half":';
  const [command, ...args] = self;
  const tapped = [...args, "tap", "--out", "tap.jsonl", ...program("raw.mjs", join(cwd, "received"))];
  const child = spawn(command, tapped, { cwd, env: { ...process.env, RAW_SECRET: "of the host" } });
  const output = Promise.all([buffer(child.stdout), text(child.stderr)]);
  const exited = once(child, "exit");
  child.stdin.end(sent);
  const [code] = (await exited) as [number];
  const [stdout, stderr] = await output;

  expect(stdout.toString()).toBe(
    '{"id" : 1, "jsonrpc":"2.0","result":{"n":1.0,"big":12345678901234567890}}\r\n\n' +
      "Listening on port 80\n[1,2]\nno line end",
  );
  expect(readFileSync(join(cwd, "received"), "utf8")).toBe(sent);
  expect(code).toBe(7);
  expect(stderr).toContain("a log line, of the host\n");
  expect(stderr).toContain(
    'tap: the server sent input that is not a JSON-RPC message: "Listening on port 80"',
  );
  expect(stderr).toContain('tap: the host sent input that is not a JSON-RPC message: "GET / HTTP/1.1"');
  const { entries } = parseCassette(readFileSync(join(cwd, "tap.jsonl"), "utf8"));
  const messages = entries.flatMap((entry) => ("message" in entry ? [entry.message] : []));
  expect(messages).toHaveLength(2);
  expect(messages).toContainEqual(expect.objectContaining({ id: 1 }));
  expect(messages).toContainEqual(expect.objectContaining({ method: "odd" }));
  const errors = entries.flatMap((entry) => ("error" in entry ? [`${entry.dir} ${entry.error}`] : []));
  expect(errors).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^read .*Listening on port 80$/),
      expect.stringMatching(/^read .*no line end$/),
      expect.stringMatching(/^write .*GET \/ HTTP\/1.1$/),
      expect.stringMatching(/^write .*\{"half":$/),
    ]),
  );
  expect(entries.at(-1)).toMatchObject({ dir: "end" });
});

test("tap says that a program does not exist", async () => {
  const cwd = temporaryFolder();
  const { code, stderr } = await tenon(["tap", "--", "no-such-program"], { cwd });
  expect(code).toBe(3);
  expect(stderr).toContain('The program "no-such-program" could not be started.');
});

test("a host that sends no message to a server in memory gets an error response", async () => {
  const [command, ...args] = self;
  const child = spawn(command, [...args, "tap", notes], { cwd: temporaryFolder() });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  child.stdin.end('{"id": 3, "oops": 1}\n');
  const [stdout, stderr] = await output;
  expect(JSON.parse(stdout)).toMatchObject({ id: 3, error: { code: -32600 } });
  expect(stderr).toContain("the host sent input that is not a JSON-RPC message");
});
