import { compose, connectedSource, proxyServer } from "@tenon/compose";
import { CallRelay, taskMethods } from "@tenon/host";
import { Client, defineMethod, defineServerExtension, Server, type MethodDefinition } from "@tenon/mcp";
import { createTaskEngine } from "@tenon/tasks";
import { taskClient, type StartedTask } from "@tenon/tasks/client";
import { tasks } from "@tenon/tasks/server";
import { deferred, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { expect, onTestFinished, test } from "vitest";

import { remote } from "./remote.ts";

/** A server with a skill, and with a tool whose task never ends. */
function behind(): Server {
  const engine = createTaskEngine();
  onTestFinished(() => engine.close({ drainMs: 0 }));
  const server = new Server({ name: "behind", version: "1.0.0" }, { revisions: [modernRevision] });
  server.use(
    tasks({ engine }),
    defineServerExtension({
      id: "io.modelcontextprotocol/skills",
      setup: (own) =>
        own.addMethod(defineMethod({ method: "skills/get" }), () => ({
          skill: { uri: "skill://one/SKILL.md" },
        })),
    }),
  );
  server.addTool({ name: "report", task: "required" }, () => deferred().promise);
  return server;
}

/** A server in front of the server at a URL. */
async function inFront(kind: string, url: string, onError: (error: unknown) => void): Promise<Server> {
  const transport = (): StreamableClientTransport => new StreamableClientTransport(url);
  if (kind === "compose") {
    return compose({ far: transport, near: new Server({ name: "near", version: "1.0.0" }) }, { onError });
  }
  const relay = new CallRelay();
  const source = connectedSource({
    relay,
    async connect({ options, prepare }) {
      const client = new Client({ name: "proxy", version: "1.0.0" }, options);
      prepare(client);
      return client.connect(transport());
    },
  });
  onTestFinished(() => source[Symbol.asyncDispose]());
  await source.start();
  return proxyServer(source, { relay, onError });
}

test.each(["compose", "proxyServer"])(
  "a request about a skill or a task that its server cannot respond to fails as any other does, and is reported (%s)",
  async (kind) => {
    const far = await remote(behind());
    const reports: string[] = [];
    const server = await inFront(kind, far.url, (error) => reports.push((error as Error).message));
    const [here, there] = createInMemoryTransports();
    await server.connect(there);
    const client = new Client({ name: "ann", version: "1.0.0" }, { revisions: [modernRevision] });
    client.use(taskClient());
    const session = await client.connect(here);
    onTestFinished(async () => {
      await session.close({ drainMs: 0 });
      await server.close({ drainMs: 0 });
    });
    const isComposed = kind === "compose";
    const name = isComposed ? "mcp__far__report" : "report";
    await session.listTools();
    const { task } = (await session.tasks.start({ name })) as StartedTask;
    const uri = `skill://${isComposed ? "far/" : ""}one/SKILL.md`;
    const getSkill = defineMethod({ method: "skills/get" });
    const getTask = taskMethods.get("tasks/get") as MethodDefinition;
    expect(await session.request(getSkill, { uri })).toMatchObject({ skill: { uri } });
    for (const ask of [
      () => session.request(getSkill, { uri }),
      () => session.request(getTask, { taskId: task.id }),
    ]) {
      far.fail(500);
      await expect(ask()).rejects.toMatchObject({
        code: -32_603,
        message: expect.stringContaining(`server${isComposed ? " far" : ""} responded with HTTP status 500.`),
        data: { reason: "call-lost", delivered: "maybe" },
      });
      expect(reports.splice(0)).toEqual([
        expect.stringContaining(`${far.url} responded with HTTP status 500`),
      ]);
    }
    // An error of the server itself is not a failure.
    const unknown = session.request(getTask, { taskId: `${task.id}x` });
    await expect(unknown).rejects.toMatchObject({ code: -32_602 });
    expect(reports).toEqual([]);
  },
);
