import { bothEras } from "@tenon/test-support";
import { expect, test } from "vitest";

import { Manager } from "../src/index.ts";
import { localServer } from "./fixture.ts";

test("tools of one name on servers of one name are told apart by what the host calls its servers (R-466)", async () => {
  const offering = (answer: string): ReturnType<typeof localServer> =>
    localServer((server) => server.addTool({ name: "search" }, () => answer), {});
  const [one, two] = [offering("from one"), offering("from two")];
  await using manager = new Manager({ servers: { one: one.spec, two: two.spec } });
  await manager.connectAll();
  const infos = ["one", "two"].map((name) => manager.snapshot.get(name)?.serverInfo?.name);
  expect(infos).toEqual(["local", "local"]);
  const names = (await manager.tools()).map(({ name }) => name);
  expect(names).toEqual(["mcp__one__search", "mcp__two__search"]);
  for (const [index, text] of ["from one", "from two"].entries()) {
    const { content } = await manager.callToolByName(names[index] ?? "", {});
    expect(content).toEqual([{ type: "text", text }]);
  }
});

test("a sensitive call is shown with its arguments before it is made, checked afterwards and limited in time (R-480)", async () => {
  const shown: unknown[] = [];
  const local = localServer((server) => {
    const output = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] } as const;
    server.addTool({ name: "delete", annotations: { destructiveHint: true }, output }, () => ({ id: 1 }));
    server.addTool({ name: "hang" }, (_, { signal }) => {
      return new Promise<string>((resolve) => {
        signal.addEventListener("abort", () => resolve(""));
      });
    });
  });
  await using manager = new Manager({
    servers: { a: local.spec },
    policy: {
      approve: ({ server, tool, arguments: args }) => {
        shown.push([server, tool, args]);
        return args["path"] !== "/";
      },
      limits: { totalTimeoutMs: 50 },
    },
  });
  await manager.connectAll();
  await expect(manager.callTool("a", "delete", { path: "/" })).rejects.toMatchObject({ code: "DENIED" });
  expect(shown).toEqual([["a", "delete", { path: "/" }]]);
  expect(local.requests).not.toContain("tools/call");
  await expect(manager.callTool("a", "hang")).rejects.toMatchObject({ phase: "call", delivered: "maybe" });
  expect(shown).toHaveLength(2);
});

test.each(bothEras)(
  "a server that died is started again: what was in flight may have run, and its changes are heard anew (%s, R-263)",
  async (revision) => {
    let hanging: () => void = () => {};
    const started = new Promise<void>((resolve) => {
      hanging = resolve;
    });
    const local = localServer(
      (server) => {
        server.addTool({ name: "quick" }, () => "quick");
        server.addTool({ name: "hang" }, (_, { signal }) => {
          hanging();
          return new Promise<string>((resolve) => {
            signal.addEventListener("abort", () => resolve(""));
          });
        });
      },
      { server: { revisions: [revision] } },
    );
    await using manager = new Manager({ servers: { a: local.spec }, reconnect: { initialDelayMs: 1 } });
    await manager.connectAll();
    const lost = manager.callTool("a", "hang").catch((error: unknown) => error);
    await started;
    const back = new Promise((resolve) => {
      manager.on("mcp_reconnected", resolve);
    });
    await local.crash();
    expect(await lost).toMatchObject({ phase: "call", delivered: "maybe" });
    await back;
    expect(local.connects).toBe(2);
    expect((await manager.callTool("a", "quick")).content).toEqual([{ type: "text", text: "quick" }]);
    expect(await manager.tools()).toHaveLength(2);
    local.server.addTool({ name: "new" }, () => "");
    await expect.poll(async () => (await manager.tools()).length).toBe(3);
  },
);
