import { Client, type ClientOptions, type ClientSession } from "@tenon/sdk/client";
import { CommandTransport } from "@tenon/sdk/stdio";
import { expect, test } from "vitest";

import { v1FeaturesServer, v2FeaturesServer } from "./paths.ts";

type Server = [name: string, path: string, options: ClientOptions];

const servers: Server[] = [
  ["version 1", v1FeaturesServer, {}],
  ["version 2, legacy", v2FeaturesServer, { revisions: ["2025-11-25"] }],
  ["version 2, modern", v2FeaturesServer, { revisions: ["2026-07-28"] }],
];

function connect(path: string, options: ClientOptions): Promise<ClientSession> {
  const client = new Client({ name: "tenon-interop", version: "1.0.0" }, options);
  return client.connect(new CommandTransport({ command: process.execPath, args: [path], stderr: "inherit" }));
}

/** A promise, and how to keep it. */
function signal<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((keep) => {
    resolve = keep;
  });
  return { promise, resolve };
}

test.each(servers)(
  "our client reads resources and templates of the official SDK %s",
  async (_, path, options) => {
    await using session = await connect(path, options);
    const { resources } = await session.listResources();
    expect(resources).toMatchObject([{ uri: "notes://1", name: "one", mimeType: "text/plain" }]);
    const { resourceTemplates } = await session.listResourceTemplates();
    expect(resourceTemplates).toMatchObject([{ uriTemplate: "greet://{name}" }]);
    const { contents } = await session.readResource({ uri: "greet://you" });
    expect(contents).toMatchObject([{ uri: "greet://you", text: "Hello you" }]);
    await expect(session.readResource({ uri: "no:such" })).rejects.toMatchObject({
      code: expect.any(Number) as number,
    });
  },
);

test.each(servers)(
  "our client fills in prompts and completes arguments of the official SDK %s",
  async (_, path, options) => {
    await using session = await connect(path, options);
    const names: string[] = [];
    for await (const { name } of session.prompts()) {
      names.push(name);
    }
    expect(names).toEqual(["review"]);
    const { messages } = await session.getPrompt({ name: "review", arguments: { code: "x", lang: "ts" } });
    expect(messages).toMatchObject([{ role: "user", content: { type: "text", text: "Review x" } }]);
    const byPrompt = await session.complete({
      ref: { type: "ref/prompt", name: "review" },
      argument: { name: "lang", value: "ty" },
      context: { arguments: { code: "x" } },
    });
    expect(byPrompt.completion.values).toEqual(["ty:x"]);
    const byTemplate = await session.complete({
      ref: { type: "ref/resource", uri: "greet://{name}" },
      argument: { name: "name", value: "A" },
    });
    expect(byTemplate.completion.values).toEqual(["Ada", "Alan"]);
  },
);

test.each(servers)(
  "our client hears logs, updates and changed lists of the official SDK %s",
  async (_, path, options) => {
    const log = signal<unknown>();
    const changed = signal<void>();
    await using session = await connect(path, {
      ...options,
      onLog: ({ level, data }) => log.resolve({ level, data }),
      onPromptsChanged: () => changed.resolve(),
    });
    const watch = session.watch("notes://1");
    await watch.ready;
    await session.callTool({ name: "change", arguments: {} });
    expect(await log.promise).toEqual({ level: "warning", data: { msg: "changing" } });
    expect(await watch.next()).toMatchObject({ value: { uri: "notes://1" } });
    await watch.close();
    await session.callTool({ name: "grow", arguments: {} });
    await changed.promise;
    expect((await session.listPrompts()).prompts).toHaveLength(2);
  },
);

test("our client keeps what the official SDK allows to be kept", async () => {
  await using session = await connect(v2FeaturesServer, { revisions: ["2026-07-28"] });
  const first = await session.readResource({ uri: "notes://1" });
  expect(first).toMatchObject({ ttlMs: 60_000, cacheScope: "private" });
  expect(await session.readResource({ uri: "notes://1" })).toEqual(first);
});
