import { Client as ClientV2, type ClientOptions } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { expect, test } from "vitest";

import { tenonFeaturesServer } from "./paths.ts";

const info = { name: "official", version: "1.0.0" };
const command = { command: process.execPath, args: [tenonFeaturesServer], stderr: "inherit" as const };

const modes: [string, NonNullable<ClientOptions["versionNegotiation"]>][] = [
  ["legacy", { mode: "legacy" }],
  ["pinned to 2026-07-28", { mode: { pin: "2026-07-28" } }],
];

async function withV2(
  versionNegotiation: NonNullable<ClientOptions["versionNegotiation"]>,
  use: (client: ClientV2) => Promise<void>,
): Promise<void> {
  const client = new ClientV2(info, { versionNegotiation });
  await client.connect(new StdioV2(command));
  try {
    await use(client);
  } finally {
    await client.close();
  }
}

async function withV1(use: (client: ClientV1) => Promise<void>): Promise<void> {
  const client = new ClientV1(info);
  await client.connect(new StdioV1(command));
  try {
    await use(client);
  } finally {
    await client.close();
  }
}

/** Collects what is told, and waits for a number of them. */
function collector(): { put(value: unknown): void; until(count: number): Promise<unknown[]> } {
  const values: unknown[] = [];
  let check = (): void => {};
  return {
    put(value) {
      values.push(value);
      check();
    },
    until: (count) =>
      new Promise((resolve) => {
        check = () => {
          if (values.length >= count) {
            resolve(values);
          }
        };
        check();
      }),
  };
}

/** What both versions of the client are asked to do in the same way. */
async function readEverything(client: ClientV1 | ClientV2): Promise<void> {
  const reader = client as ClientV1;
  const first = await reader.listResources();
  // Version 2 goes through the pages by itself.
  const rest =
    first.nextCursor === undefined
      ? []
      : (await reader.listResources({ cursor: first.nextCursor })).resources;
  expect([...first.resources, ...rest].map(({ uri }) => uri)).toEqual([
    "notes://1",
    "notes://2",
    "notes://3",
  ]);
  expect((await reader.listResourceTemplates()).resourceTemplates).toMatchObject([
    { uriTemplate: "greet://{name}" },
  ]);
  expect((await reader.readResource({ uri: "notes://1" })).contents).toEqual([
    { uri: "notes://1", mimeType: "text/plain", text: "first" },
  ]);
  expect((await reader.readResource({ uri: "notes://2" })).contents).toMatchObject([{ blob: "AQID" }]);
  expect((await reader.readResource({ uri: "greet://Ada" })).contents).toMatchObject([{ text: "Hello Ada" }]);
  await expect(reader.readResource({ uri: "no:such" })).rejects.toThrow("Resource not found");

  expect((await reader.listPrompts()).prompts).toMatchObject([
    { name: "review", title: "Review", arguments: [{ name: "code", required: true }, { name: "lang" }] },
  ]);
  const { messages } = await reader.getPrompt({ name: "review", arguments: { code: "x" } });
  expect(messages).toEqual([{ role: "user", content: { type: "text", text: "Review x" } }]);
  await expect(reader.getPrompt({ name: "review" })).rejects.toThrow("needs the arguments code");

  const byPrompt = await reader.complete({
    ref: { type: "ref/prompt", name: "review" },
    argument: { name: "lang", value: "ty" },
    context: { arguments: { code: "x" } },
  });
  expect(byPrompt.completion).toMatchObject({ values: ["ty:x"], total: 1, hasMore: false });
  const byTemplate = await reader.complete({
    ref: { type: "ref/resource", uri: "greet://{name}" },
    argument: { name: "name", value: "a" },
  });
  expect(byTemplate.completion.values).toEqual(["Ada", "Alan"]);
}

test.each(modes)("the official client v2, %s, reads our resources, prompts and completions", (_, mode) =>
  withV2(mode, readEverything),
);

test("the official client v1 reads our resources, prompts and completions", () => withV1(readEverything));

test("the official client v2 hears our logs, updates and changed lists in the legacy era", () =>
  withV2({ mode: "legacy" }, async (client) => {
    const heard = collector();
    client.setNotificationHandler("notifications/message", ({ params }) =>
      heard.put([params.level, params.data]),
    );
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => heard.put(params.uri));
    client.setNotificationHandler("notifications/prompts/list_changed", () => heard.put("prompts"));
    await client.setLoggingLevel("info");
    await client.subscribeResource({ uri: "notes://1" });
    await client.callTool({ name: "change", arguments: { to: "second" } });
    expect(await heard.until(2)).toEqual([["warning", { msg: "changing" }], "notes://1"]);
    await client.callTool({ name: "grow" });
    expect(await heard.until(3)).toHaveLength(3);
  }));

test("the official client v2 listens to our server in the modern era, side by side", () =>
  withV2({ mode: { pin: "2026-07-28" } }, async (client) => {
    const heard = collector();
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => heard.put(params.uri));
    client.setNotificationHandler("notifications/prompts/list_changed", () => heard.put("prompts"));
    const resources = await client.listen({ resourceSubscriptions: ["notes://1"] });
    const prompts = await client.listen({ promptsListChanged: true });
    expect(resources.honoredFilter).toEqual({ resourceSubscriptions: ["notes://1"] });
    await client.callTool({ name: "change", arguments: {} });
    expect(await heard.until(1)).toEqual(["notes://1"]);
    await resources.close();
    await client.callTool({ name: "grow" });
    expect(await heard.until(2)).toEqual(["notes://1", "prompts"]);
    await prompts.close();
  }));

test("the official client v1 hears our logs, updates and changed lists", () =>
  withV1(async (client) => {
    const heard = collector();
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) =>
      heard.put([params.level, params.data]),
    );
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => heard.put(params.uri));
    client.setNotificationHandler(PromptListChangedNotificationSchema, () => heard.put("prompts"));
    await client.setLoggingLevel("info");
    await client.subscribeResource({ uri: "notes://1" });
    await client.callTool({ name: "change", arguments: {} });
    expect(await heard.until(2)).toEqual([["warning", { msg: "changing" }], "notes://1"]);
    await client.unsubscribeResource({ uri: "notes://1" });
    await client.callTool({ name: "grow" });
    expect(await heard.until(3)).toHaveLength(3);
  }));
