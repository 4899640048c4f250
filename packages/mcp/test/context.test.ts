import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { connectionClosed, type Transport } from "@tenon/jsonrpc2";
import { Client, Server } from "@tenon/mcp";
import { bothEras, legacyRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

test.each(bothEras)("what a handler may do can be taken out of its context, in %s", async (revision) => {
  const server = new Server({ name: "server", version: "1.0.0" }, { logging: true });
  server.addTool(
    { name: "all" },
    async (_, { progress, log, elicit, step, listRoots, sample, notify, call, signal }) => {
      await progress(1, 2);
      await log("info", "half");
      const made = await step("make", () => "made");
      const asked = await elicit({
        message: "Go on?",
        requestedSchema: { type: "object", properties: {} },
      });
      const functions = [listRoots, sample, notify, call].map((part) => typeof part);
      return [made, asked.action, signal.aborted, ...new Set(functions)].join(" ");
    },
  );
  const client = new Client(
    { name: "client", version: "1.0.0" },
    { revisions: [revision], elicitation: { form: () => ({ action: "decline" }) } },
  );
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  await using session = await client.connect(here);
  const seen: number[] = [];
  const options = { onProgress: ({ progress }: { progress: number }) => void seen.push(progress) };
  expect(await session.callTool({ name: "all" }, options)).toMatchObject({
    content: [{ text: "made decline false function" }],
  });
  expect(seen).toContain(1);
});

test("a server that ends at once says why, and a client of legacy revisions alone does not try it again", async () => {
  let connections = 0;
  const transport: Transport = {
    connect() {
      connections++;
      const gone = (): Promise<never> =>
        Promise.reject(connectionClosed(undefined, { cause: new Error("The program ended with code 3.") }));
      const close = (): Promise<void> => Promise.resolve();
      return Promise.resolve({ read: gone, write: gone, close, [Symbol.asyncDispose]: close });
    },
  };
  const client = new Client({ name: "client", version: "1.0.0" }, { revisions: [legacyRevision] });
  await expect(client.connect(transport)).rejects.toMatchObject({
    code: "CONNECTION_CLOSED",
    message: expect.stringContaining("The program ended with code 3.") as string,
  });
  expect(connections).toBe(1);
});

test("a call that is waited for keeps the process alive until it times out", async () => {
  const program = `
    import { Client, Server } from "@tenon/mcp";
    import { createInMemoryTransports } from "@tenon/transports-memory";
    const server = new Server({ name: "server", version: "1.0.0" });
    server.addTool({ name: "hang" }, () => new Promise(() => {}));
    const [here, there] = createInMemoryTransports();
    await server.connect(there);
    const session = await new Client({ name: "client", version: "1.0.0" }).connect(here);
    await session.callTool({ name: "hang" }, { timeoutMs: 50 }).catch(({ code }) => console.log(code));
  `;
  const cwd = fileURLToPath(new URL("..", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], {
    cwd,
  });
  expect(stdout).toBe("TIMEOUT\n");
});
