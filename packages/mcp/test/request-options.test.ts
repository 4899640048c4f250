import { Client, Server, type ClientSession } from "@tenon/mcp";
import { bothEras } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { describe, expect, it } from "vitest";

describe.each(bothEras)("options of one request (%s)", (revision) => {
  async function connect(): Promise<ClientSession> {
    const server = new Server({ name: "any", version: "1.0.0" });
    server.addTool({ name: "t" }, () => "");
    server.addResource({ uri: "test://r", name: "r" }, () => "content");
    const [here, there] = createInMemoryTransports();
    await server.connect(there);
    return new Client({ name: "test", version: "1.0.0" }, { revisions: [revision] }).connect(here);
  }

  it("are refused if they do not exist, with the option that was meant", async () => {
    await using session = await connect();
    const misspelt = { timeoutMS: 5 } as object;
    const refusal = /has no option "timeoutMS"\. Did you mean timeoutMs\?/;
    await expect(session.callTool({ name: "t" }, misspelt)).rejects.toThrow(refusal);
    await expect(session.readResource({ uri: "test://r" }, misspelt)).rejects.toThrow(refusal);
    await expect(session.listTools({}, misspelt)).rejects.toThrow(refusal);
    await expect(session.tools(misspelt).next()).rejects.toThrow(refusal);
    await expect(session.ping({}, misspelt)).rejects.toThrow(refusal);
  });

  it("are refused if only an extension that is not in use has them", async () => {
    await using session = await connect();
    const call = session.callTool({ name: "t" }, { task: "never" } as object);
    await expect(call).rejects.toThrow('tools/call has no option "task".');
  });

  it("may be undefined, and all that exist are taken", async () => {
    await using session = await connect();
    const { signal } = new AbortController();
    const options = { signal, timeoutMs: 1_000, totalTimeoutMs: 2_000, fresh: true, onProgress: () => {} };
    await session.callTool(
      { name: "t" },
      { ...options, autoFulfil: true, ...({ other: undefined } as object) },
    );
    const names = [];
    for await (const { name } of session.tools({ ...options, maxPages: 3 })) {
      names.push(name);
    }
    expect(names).toEqual(["t"]);
  });
});
