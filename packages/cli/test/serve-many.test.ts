import { Client, type ClientOptions, type ClientSession } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { bothEras, deferred, legacyRevision, modernRevision } from "@tenon/test-support";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { expect, onTestFinished, test } from "vitest";

import { Interrupted } from "../src/shell.ts";
import { fixture, tenon } from "./support.ts";

/** The servers behind `tenon serve`, as the names of their tools begin. */
const behind = (revision: Revision): string => (revision === modernRevision ? "asking" : "asking-legacy");
const pairs = bothEras.flatMap((front) => bothEras.map((back) => [front, back] as const));

/** Serves one server of each era, and another one. @returns The address. */
async function servedMany(): Promise<string> {
  const interruption = new AbortController();
  const url = deferred<string>();
  const targets = ["asking.mjs", "asking-legacy.mjs", "notes.mjs"].map(fixture);
  const serving = tenon(["serve", ...targets, "--http"], {
    signal: interruption.signal,
    onWrite: (stream, text) => stream === "stdout" && url.resolve(text.trim()),
  });
  const failed = serving.then(({ stderr }) => Promise.reject(new Error(stderr)));
  failed.catch(() => {});
  onTestFinished(async () => {
    interruption.abort(new Interrupted());
    await serving;
  });
  return Promise.race([url.promise, failed]);
}

async function connect(address: string, options: ClientOptions): Promise<ClientSession> {
  const client = new Client({ name: "host", version: "1" }, options);
  const session = await client.connect(new StreamableClientTransport(address));
  onTestFinished(() => session.close());
  return session;
}

/** Finds a tool by the name that its server has given it. */
async function toolOf(session: ClientSession, server: string, name: string): Promise<string> {
  const { tools } = await session.listTools();
  const found = tools.filter((tool) => tool.name === `mcp__${server}__${name}`);
  expect(found).toHaveLength(1);
  return found[0]?.name ?? "";
}

async function call(session: ClientSession, server: string, name: string): Promise<unknown> {
  const { content } = await session.callTool({ name: await toolOf(session, server, name) });
  return content[0]?.type === "text" ? JSON.parse(content[0].text) : content;
}

test.each(pairs)(
  "many servers as one: sampling, roots and forms reach a client of %s from a server of %s",
  async (front, back) => {
    const roots = [{ uri: "file:///work", name: "work" }];
    const session = await connect(await servedMany(), {
      revisions: [front],
      roots,
      elicitation: { form: ({ message }) => ({ action: "accept", content: { answer: message } }) },
      sampling: {
        createMessage: ({ maxTokens }) => ({
          model: `model-${maxTokens}`,
          role: "assistant",
          content: { type: "text", text: "Thought." },
        }),
      },
    });
    expect(await call(session, behind(back), "think")).toEqual([
      "model-10",
      { type: "text", text: "Thought." },
    ]);
    expect(await call(session, behind(back), "folders")).toEqual(roots);
    expect(await call(session, behind(back), "twice")).toEqual(["first", "second"]);
  },
);

test.each(bothEras)(
  "an input request of a server of %s reaches the client whose call it handles, not the newest one",
  async (back) => {
    const address = await servedMany();
    const isAsked = deferred();
    const answer = deferred<string>();
    const one = await connect(address, {
      revisions: [legacyRevision],
      elicitation: {
        async form({ message }) {
          isAsked.resolve();
          return { action: "accept", content: { answer: `${message} ${await answer.promise}` } };
        },
      },
    });
    // Without elicitation: an input request of another server must not get here.
    const two = await connect(address, { revisions: [legacyRevision] });
    const asking = call(one, behind(back), "twice");
    await isAsked.promise;
    const stop = new AbortController();
    const isWaiting = deferred();
    const waiting = two.callTool(
      { name: await toolOf(two, "notes", "wait") },
      { signal: stop.signal, onProgress: () => isWaiting.resolve() },
    );
    waiting.catch(() => {});
    await isWaiting.promise;
    answer.resolve("from one");
    expect(await asking).toEqual(["first from one", "second from one"]);
    stop.abort();
    await expect(waiting).rejects.toThrow();
  },
);

test("many servers as one: progress, completions, updates and changes of lists reach the client", async () => {
  const grown = deferred();
  const session = await connect(await servedMany(), { onToolsChanged: () => grown.resolve() });
  const progress: unknown[] = [];
  await session.callTool(
    { name: await toolOf(session, "asking", "step") },
    { onProgress: ({ message }) => void progress.push(message) },
  );
  expect(progress).toEqual(["half"]);

  const { prompts } = await session.listPrompts();
  const greet = prompts.find(({ name }) => name === "mcp__asking__greet")?.name ?? "";
  expect(
    await session.complete({
      ref: { type: "ref/prompt", name: greet },
      argument: { name: "name", value: "a" },
    }),
  ).toMatchObject({ completion: { values: ["ada"] } });

  const watch = session.watch("state://asking/one");
  await watch.ready;
  const updates = watch[Symbol.asyncIterator]();
  const update = updates.next();
  let seen: unknown;
  // The watch of the first server that has the resource begins later than that of the client.
  while (seen === undefined) {
    const touched = session.callTool({ name: "mcp__asking__touch" }).then(() => undefined);
    seen = await Promise.race([update, touched]);
  }
  expect(seen).toMatchObject({ value: { uri: "state://asking/one" } });
  await updates.return?.();

  await session.callTool({ name: await toolOf(session, "asking", "grow") });
  await grown.promise;
});

test("many servers as one: an error of a server keeps its code", async () => {
  const session = await connect(await servedMany(), {});
  await expect(session.readResource({ uri: "nowhere://" })).rejects.toMatchObject({
    code: expect.any(Number),
    message: expect.not.stringContaining("REMOTE_ERROR"),
  });
  await expect(session.callTool({ name: "no-such-tool" })).rejects.toMatchObject({ code: -32602 });
});
