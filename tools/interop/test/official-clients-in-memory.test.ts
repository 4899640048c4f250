import type { Transport } from "@tenon/sdk/client";
import { createInMemoryTransports } from "@tenon/sdk/memory";
import type { Server } from "@tenon/sdk/server";
import { inbox } from "@tenon/test-support";
import { expect, test } from "vitest";

import { features, textOf, type Checks } from "./memory/feature.ts";
import { v1Client, v2Client, type OfficialClient } from "./memory/official-client.ts";
import { tenonServer } from "./memory/tenon-server.ts";

interface Kit {
  readonly client: OfficialClient;
  readonly server: Server;
  readonly hanging: Promise<void>;
  readonly cancelled: Promise<unknown>;
}

const checks: Checks<Kit> = {
  async tools({ client }) {
    expect(textOf(await client.call("greet", { name: "you" }))).toBe("Hello you");
    expect(await client.call("fail")).toMatchObject({ isError: true, content: [{ text: "not today" }] });
    expect(await client.call("greet", { name: 7 })).toMatchObject({ isError: true });
  },
  async "structured output"({ client }) {
    expect(await client.call("point")).toMatchObject({ structuredContent: { x: 1 } });
  },
  async resources({ client }) {
    expect((await client.plain.readResource({ uri: "memo://one" })).contents).toMatchObject([
      { text: "one" },
    ]);
  },
  async templates({ client }) {
    expect((await client.plain.listResourceTemplates()).resourceTemplates).toMatchObject([{ name: "greet" }]);
    expect((await client.plain.readResource({ uri: "greet://Ada" })).contents).toMatchObject([
      { text: "Hello Ada" },
    ]);
  },
  async prompts({ client }) {
    expect((await client.plain.listPrompts()).prompts).toMatchObject([{ name: "review" }]);
    const { messages } = await client.plain.getPrompt({ name: "review", arguments: { code: "x" } });
    expect(messages).toMatchObject([{ content: { text: "Review x" } }]);
  },
  async completion({ client }) {
    const { completion } = await client.plain.complete({
      ref: { type: "ref/resource", uri: "greet://{name}" },
      argument: { name: "name", value: "a" },
    });
    expect(completion.values).toEqual(["Ada", "Alan"]);
  },
  async pagination({ client }) {
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.plain.listResources(cursor === undefined ? undefined : { cursor });
      names.push(...page.resources.map(({ name }) => name));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(names).toEqual(["one", "three", "two"]);
  },
  async logging({ client }) {
    const heard = inbox<unknown>();
    await client.hearLogs(heard.put);
    await client.call("log");
    expect(await heard.take()).toEqual({ msg: "careful" });
  },
  async progress({ client }) {
    const seen: number[] = [];
    const result = await client.call("steps", {}, { onprogress: ({ progress }) => seen.push(progress) });
    expect([textOf(result), seen]).toEqual(["done", [1, 2]]);
  },
  async cancellation({ client, hanging, cancelled }) {
    const controller = new AbortController();
    const calling = client.call("hang", {}, { signal: controller.signal });
    calling.catch(() => {});
    await hanging;
    controller.abort("the user left");
    await expect(calling).rejects.toBeDefined();
    expect(await cancelled).toBeInstanceOf(Error);
  },
  async "updated resources"({ client, server }) {
    const heard = inbox<string>();
    await client.hearUpdates("memo://one", heard.put);
    server.resourceUpdated("memo://two");
    server.resourceUpdated("memo://one");
    expect(await heard.take()).toBe("memo://one");
  },
  async "changed lists"({ client, server }) {
    const heard = inbox<string>();
    await client.hearPrompts(heard.put);
    server.addPrompt({ name: "another" }, () => "");
    expect(await heard.take()).toBe("prompts");
  },
  async "elicitation by form"({ client }) {
    expect(textOf(await client.call("form"))).toBe("Ada");
  },
  async "elicitation by page"({ client }) {
    expect(textOf(await client.call("page"))).toBe("accept");
  },
  async sampling({ client }) {
    expect(textOf(await client.call("sample"))).toBe("Hello");
  },
  async roots({ client }) {
    expect(textOf(await client.call("roots"))).toBe("file:///work");
  },
  async ping({ client }) {
    if (client.era === "legacy") {
      await client.plain.ping();
    }
    expect(client.plain.getServerVersion()).toMatchObject({ name: "tenon" });
  },
  async errors({ client }) {
    await expect(client.call("refuse")).rejects.toMatchObject({ code: 1001, data: { account: 7 } });
    await expect(client.plain.getPrompt({ name: "none" })).rejects.toMatchObject({ code: -32_602 });
  },
};

const clients: readonly [string, (transport: Transport) => Promise<OfficialClient>][] = [
  ["version 1", v1Client],
  ["version 2, legacy", (transport) => v2Client(transport, "legacy")],
  ["version 2, modern", (transport) => v2Client(transport, "modern")],
];

const cases = clients.flatMap(([name, connect]) => features.map((feature) => ({ name, feature, connect })));

test.each(cases)("the official client $name and our server: $feature", async ({ feature, connect }) => {
  const { server, hanging, cancelled } = tenonServer();
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  await using client = await connect(here);
  const check = checks[feature];
  if (typeof check === "string") {
    throw new TypeError(`Every feature has a check here; ${feature}: ${check}`);
  }
  await check({ client, server, hanging, cancelled });
  await server.close({ drainMs: 0 });
});
