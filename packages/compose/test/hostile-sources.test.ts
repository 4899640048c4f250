import { compose } from "@tenon/compose";
import { Client, Server, type ClientOptions, type ClientSession } from "@tenon/mcp";
import { bothEras } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test } from "vitest";

function serverWith(...tools: readonly string[]): Server {
  const server = new Server({ name: "behind", version: "1.0.0" }, { onError: () => {} });
  tools.forEach((name) => server.addTool({ name }, (_, { signal }) => (signal.aborted ? "" : `did ${name}`)));
  return server;
}

async function transportTo(server: Server): Promise<ReturnType<typeof createInMemoryTransports>[0]> {
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  return here;
}

async function connect(composed: Server, options: ClientOptions = {}): Promise<ClientSession> {
  onTestFinished(() => composed.close({ drainMs: 0 }));
  const client = new Client({ name: "ann", version: "1.0.0" }, { cache: false, ...options });
  const session = await client.connect(await transportTo(composed));
  onTestFinished(() => session.close({ drainMs: 0 }));
  return session;
}

async function namesOf(session: ClientSession): Promise<readonly string[]> {
  return (await session.listTools()).tools.map(({ name }) => name);
}

test("two sources that claim one name after mapping both keep a tool, each under one stable name", async () => {
  const session = await connect(compose({ a__b: serverWith("c"), a: serverWith("b__c") }));
  const names = await namesOf(session);
  expect(new Set(names).size).toBe(2);
  expect(await namesOf(session)).toEqual(names);
  const results = await Promise.all(names.map((name) => session.callTool({ name })));
  const texts = results.map(({ content: [block] }) => (block?.type === "text" ? block.text : ""));
  expect(texts.toSorted()).toEqual(["did b__c", "did c"]);
});

test.each(bothEras)(
  "a source that changes its list in a loop is announced twice at most in an interval, and delays no other (client of %s)",
  async (revision) => {
    const restless = serverWith("one");
    const composed = compose(
      { restless: async () => transportTo(restless), calm: serverWith("two") },
      { limits: { changeIntervalMs: 3_600_000 }, onError: () => {} },
    );
    let changes = 0;
    const session = await connect(composed, {
      revisions: [revision],
      onToolsChanged: () => void changes++,
    });
    await session.listTools();
    for (let round = 0; round < 300; round++) {
      restless.addTool({ name: `new-${round}` }, () => "new");
      if (round % 50 === 0) {
        const { content } = await session.callTool({ name: "mcp__calm__two" });
        expect(content).toEqual([{ type: "text", text: "did two" }]);
      }
    }
    await expect.poll(() => changes).toBeGreaterThan(0);
    expect(changes).toBeLessThanOrEqual(2);
  },
);

test.each(["connected", "mounted"])(
  "cursors of a %s source that never end are an error of this source, and the others are listed",
  async (kind) => {
    const endless = serverWith("one");
    let page = 0;
    endless.addReceivingMiddleware((next) => async (request) => {
      if (request.method !== "tools/list") {
        return next(request);
      }
      const result = (await next(request.with({ params: {} }))) as object;
      return { ...result, nextCursor: `page ${++page}` };
    });
    const problems: string[] = [];
    const composed = compose(
      { endless: kind === "mounted" ? endless : async () => transportTo(endless), calm: serverWith("two") },
      { onError: (error, source) => void problems.push(`${source}: ${String(error)}`) },
    );
    const session = await connect(composed);
    expect(await namesOf(session)).toEqual(["mcp__calm__two"]);
    expect(problems).toEqual([expect.stringMatching(/^endless: .*more than [\d,]+ pages/)]);
  },
);
