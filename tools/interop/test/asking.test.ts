import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { Client as ClientV2, type ClientOptions as OptionsV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { Client, type ClientOptions, type Revision } from "@tenon/sdk/client";
import { CommandTransport } from "@tenon/sdk/stdio";
import { expect, test } from "vitest";

import { everythingServer } from "./paths.ts";

const here = dirname(fileURLToPath(import.meta.url));
const fixture = (name: string): { command: string; args: string[]; stderr: "inherit" } => ({
  command: process.execPath,
  args: [join(here, "fixtures", name)],
  stderr: "inherit",
});

const info = { name: "interop", version: "1.0.0" };
const roots = [{ uri: "file:///work", name: "work" }];
const greeting = {
  role: "assistant" as const,
  model: "m",
  content: { type: "text" as const, text: "Hello" },
};
const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } };
const byPage = (params: object): boolean => "mode" in params && params.mode === "url";

function textOf(result: object): string {
  return JSON.stringify("content" in result ? result.content : result);
}

const modes: [string, NonNullable<OptionsV2["versionNegotiation"]>][] = [
  ["legacy", { mode: "legacy" }],
  ["pinned to 2026-07-28", { mode: { pin: "2026-07-28" } }],
];

test.each(modes)(
  "the official client v2, %s, answers everything our server asks",
  async (_, versionNegotiation) => {
    const client = new ClientV2(info, { versionNegotiation, capabilities });
    const asked: unknown[] = [];
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params);
      return byPage(params) ? { action: "accept" } : { action: "accept", content: { name: "Ada" } };
    });
    client.setRequestHandler("sampling/createMessage", () => greeting);
    client.setRequestHandler("roots/list", () => ({ roots }));
    await client.connect(new StdioV2(fixture("asking-server.mjs")));
    try {
      const everything = await client.callTool({ name: "everything" });
      expect(textOf(everything)).toContain("started|Ada|true|file:///work|Hello");
      expect(textOf(await client.callTool({ name: "page" }))).toContain("accept");
      expect(asked).toMatchObject([{ message: "Who?" }, { mode: "url", url: "https://example.com/in" }]);
      const byHand = await client.callTool({ name: "by-hand" });
      expect(textOf(byHand)).toContain("file:///work");
      const prompt = await client.getPrompt({ name: "greet" });
      expect(JSON.stringify(prompt.messages)).toContain("Greet Ada");
      const resource = await client.readResource({ uri: "memo://me" });
      expect(resource.contents).toMatchObject([{ text: "Ada" }]);
    } finally {
      await client.close();
    }
  },
);

test("the official client v2 that cannot be asked is told which capability is missing", async () => {
  const client = new ClientV2(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(new StdioV2(fixture("asking-server.mjs")));
  try {
    await expect(client.callTool({ name: "everything" })).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    });
  } finally {
    await client.close();
  }
});

test("the official client v1 answers everything our server asks", async () => {
  const client = new ClientV1(info, { capabilities });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) =>
    byPage(params) ? { action: "accept" } : { action: "accept", content: { name: "Ada" } },
  );
  client.setRequestHandler(CreateMessageRequestSchema, () => greeting);
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots }));
  await client.connect(new StdioV1(fixture("asking-server.mjs")));
  try {
    const everything = await client.callTool({ name: "everything" });
    expect(textOf(everything)).toContain("started|Ada|true|file:///work|Hello");
    expect(textOf(await client.callTool({ name: "page" }))).toContain("accept");
    expect(textOf(await client.callTool({ name: "by-hand" }))).toContain("file:///work");
  } finally {
    await client.close();
  }
});

function answering(revision?: Revision): { options: ClientOptions; asked: object[] } {
  const asked: object[] = [];
  return {
    asked,
    options: {
      ...(revision === undefined ? {} : { revisions: [revision] }),
      roots,
      sampling: { createMessage: () => greeting },
      elicitation: {
        form: (params) => {
          asked.push(params);
          return { action: "accept", content: { name: "Ada" } };
        },
        url: (params) => {
          asked.push(params);
          return { action: "accept" };
        },
      },
    },
  };
}

test.each(["2025-06-18", "2025-11-25", "2026-07-28"] as const)(
  "our client in %s answers everything a server on the official SDK, version 2, asks",
  async (revision) => {
    const { options, asked } = answering(revision);
    const client = new Client(info, options);
    await using session = await client.connect(
      new CommandTransport(fixture("official-v2-asking-server.mjs")),
    );
    expect(session.revision).toBe(revision);
    const everything = await session.callTool({ name: "everything" });
    expect(textOf(everything)).toContain("second Ada|file:///work|Hello");
    if (revision !== "2025-06-18") {
      expect(textOf(await session.callTool({ name: "page" }))).toContain("accept");
      expect(asked).toMatchObject([{ message: "Who?" }, { mode: "url", url: "https://example.com/in" }]);
    }
  },
);

test.each(["2025-06-18", "2025-11-25"] as const)(
  "our client in %s answers everything a server on the official SDK, version 1, asks",
  async (revision) => {
    const { options } = answering(revision);
    const client = new Client(info, options);
    await using session = await client.connect(
      new CommandTransport(fixture("official-v1-asking-server.mjs")),
    );
    const everything = await session.callTool({ name: "everything" });
    expect(textOf(everything)).toContain("Ada|file:///work|Hello");
    if (revision === "2025-11-25") {
      expect(textOf(await session.callTool({ name: "page" }))).toContain("accept");
    }
  },
);

test("our client answers what the everything server asks, and tells it of new roots", async () => {
  const { options, asked } = answering();
  const client = new Client(info, options);
  await using session = await client.connect(
    new CommandTransport({ command: process.execPath, args: [everythingServer, "stdio"], stderr: "ignore" }),
  );
  const sampled = await session.callTool({
    name: "trigger-sampling-request",
    arguments: { prompt: "Hi", maxTokens: 5 },
  });
  expect(textOf(sampled)).toContain("Hello");
  await session.callTool({ name: "trigger-elicitation-request", arguments: {} });
  expect(asked).toHaveLength(1);
  client.addRoots({ uri: "file:///more" });
  await expect
    .poll(async () => textOf(await session.callTool({ name: "get-roots-list", arguments: {} })))
    .toContain("file:///more");
});
