import { Client, Server, type ClientSession } from "@tenon/mcp";
import { eraOf, type Revision } from "@tenon/protocol";
import { bothEras } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

async function connect(server: Server, revision: Revision): Promise<ClientSession> {
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  return new Client({ name: "client", version: "1.0.0" }, { revisions: [revision], cache: false }).connect(
    here,
  );
}

test.each(bothEras)(
  "a list that was written once is the same for each session, and new after a change, in %s (S-192, R-462)",
  async (revision) => {
    const server = new Server({ name: "server", version: "1.0.0" });
    server.addTool({ name: "one" }, () => "");
    const sessions = [await connect(server, revision), await connect(server, revision)];
    const names = async (): Promise<string[][]> =>
      Promise.all(sessions.map(async (session) => (await session.listTools()).tools.map(({ name }) => name)));
    const [first] = sessions;
    expect(await first?.listTools()).toEqual(await first?.listTools());
    expect(await names()).toEqual([["one"], ["one"]]);
    server.addTool({ name: "two" }, () => "");
    expect(await names()).toEqual([
      ["one", "two"],
      ["one", "two"],
    ]);
    server.removeTools("one");
    expect(await names()).toEqual([["two"], ["two"]]);
    expect(Object.keys((await first?.listTools()) ?? {}).includes("resultType")).toBe(
      eraOf(revision) === "modern",
    );
  },
);

test.each(bothEras)(
  "middleware that is added later may change a list in place, for its own request alone, in %s",
  async (revision) => {
    const server = new Server({ name: "server", version: "1.0.0" });
    server.addTool({ name: "one" }, () => "");
    const session = await connect(server, revision);
    await session.listTools();
    server.addReceivingMiddleware((next) => async (request) => {
      const result = await next(request);
      if (request.method === "tools/list") {
        (result as { tools: object[] }).tools.push({ name: "more", inputSchema: { type: "object" } });
      }
      return result;
    });
    for (let time = 0; time < 2; time++) {
      expect((await session.listTools()).tools.map(({ name }) => name)).toEqual(["one", "more"]);
    }
  },
);
