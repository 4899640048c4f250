import { Client, type ClientSession } from "@tenon/sdk/client";
import { createInMemoryTransports } from "@tenon/sdk/memory";
import { inbox } from "@tenon/test-support";
import { expect, test } from "vitest";

import { answers, features, textOf, type Checks } from "./memory/feature.ts";
import type { OfficialServer } from "./memory/official-server.ts";
import { v1Server } from "./memory/official-v1-server.ts";
import { v2Server } from "./memory/official-v2-server.ts";

interface Kit {
  readonly session: ClientSession;
  readonly server: OfficialServer;
  readonly logs: ReturnType<typeof inbox<unknown>>;
  readonly prompts: ReturnType<typeof inbox<string>>;
}

const call = (session: ClientSession, name: string, args: Record<string, unknown> = {}): Promise<object> =>
  session.callTool({ name, arguments: args });

const checks: Checks<Kit> = {
  async tools({ session }) {
    const { tools } = await session.listTools();
    expect(tools.map(({ name }) => name)).toContain("greet");
    expect(textOf(await call(session, "greet", { name: "you" }))).toBe("Hello you");
    expect(await call(session, "fail")).toMatchObject({ isError: true, content: [{ text: "not today" }] });
  },
  async "structured output"({ session }) {
    expect(await call(session, "point")).toMatchObject({ structuredContent: { x: 1 } });
    const point = {
      name: "point",
      input: undefined,
      output: { type: "object", properties: { x: { type: "number" } }, required: ["x"] },
    } as const;
    expect(await session.callTool(point, {})).toEqual({ x: 1 });
  },
  async resources({ session }) {
    expect((await session.listResources()).resources).toMatchObject([{ uri: "memo://one" }]);
    expect((await session.readResource({ uri: "memo://one" })).contents).toMatchObject([{ text: "one" }]);
  },
  async templates({ session }) {
    expect((await session.listResourceTemplates()).resourceTemplates).toMatchObject([{ name: "greet" }]);
    expect((await session.readResource({ uri: "greet://Ada" })).contents).toMatchObject([
      { text: "Hello Ada" },
    ]);
  },
  async prompts({ session }) {
    const { messages } = await session.getPrompt({ name: "review", arguments: { code: "x" } });
    expect(messages).toMatchObject([{ content: { text: "Review x" } }]);
  },
  async completion({ session }) {
    const { completion } = await session.complete({
      ref: { type: "ref/resource", uri: "greet://{name}" },
      argument: { name: "name", value: "A" },
    });
    expect(completion.values).toEqual(["Ada", "Alan"]);
  },
  pagination: "servers on the official SDK put everything on one page",
  async logging({ session, logs }) {
    await call(session, "log");
    expect(await logs.take()).toEqual({ msg: "careful" });
  },
  async progress({ session }) {
    const seen: number[] = [];
    await session.callTool({ name: "steps" }, { onProgress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1, 2]);
  },
  async cancellation({ session, server }) {
    const controller = new AbortController();
    const calling = session.callTool({ name: "hang" }, { signal: controller.signal });
    calling.catch(() => {});
    await server.hanging;
    controller.abort(new Error("the user left"));
    await expect(calling).rejects.toThrow("the user left");
    await server.cancelled;
  },
  async "updated resources"({ session, server }) {
    const watch = session.watch("memo://one");
    await watch.ready;
    await server.updated("memo://one");
    expect(await watch.next()).toMatchObject({ value: { uri: "memo://one" } });
    await watch.close();
  },
  async "changed lists"({ server, prompts }) {
    server.addPrompt();
    expect(await prompts.take()).toBe("prompts");
  },
  async "elicitation by form"({ session }) {
    expect(textOf(await call(session, "form"))).toBe("Ada");
  },
  async "elicitation by page"({ session }) {
    expect(textOf(await call(session, "page"))).toBe("accept");
  },
  async sampling({ session }) {
    expect(textOf(await call(session, "sample"))).toBe("Hello");
  },
  async roots({ session }) {
    expect(textOf(await call(session, "roots"))).toBe("file:///work");
  },
  async ping({ session }) {
    await session.ping();
    expect(session.serverInfo?.name).toMatch(/^official/);
  },
  async errors({ session }) {
    await expect(session.getPrompt({ name: "none" })).rejects.toMatchObject({ code: -32_602 });
    await expect(session.getPrompt({ name: "broken" })).rejects.toMatchObject({ code: 1001 });
  },
};

const servers = [
  ["version 1", "2025-11-25", v1Server],
  ["version 2, legacy", "2025-11-25", v2Server],
  ["version 2, modern", "2026-07-28", v2Server],
] as const;

const cases = servers.flatMap(([name, revision, serve]) =>
  features.flatMap((feature) => {
    const check = checks[feature];
    return typeof check === "string" ? [] : [{ name, feature, revision, serve, check }];
  }),
);

test("what our client does with servers on the official SDK is everything but what they do not do", () => {
  const left = features.filter((feature) => typeof checks[feature] === "string");
  expect(left).toEqual(["pagination"]);
});

test.each(cases)(
  "our client and a server on the official SDK, $name: $feature",
  async ({ revision, serve, check }) => {
    const [here, there] = createInMemoryTransports();
    await using server: OfficialServer = await serve(there);
    const logs = inbox<unknown>();
    const prompts = inbox<string>();
    const client = new Client(
      { name: "tenon", version: "1.0.0" },
      {
        revisions: [revision],
        roots: answers.roots,
        sampling: { createMessage: () => answers.greeting },
        elicitation: {
          form: () => ({ action: "accept", content: { name: answers.name } }),
          url: () => ({ action: "accept" }),
        },
        onLog: ({ data }) => logs.put(data),
        onPromptsChanged: () => prompts.put("prompts"),
      },
    );
    await using session = await client.connect(here);
    expect(session.revision).toBe(revision);
    await check({ session, server, logs, prompts });
  },
);
