import { compose } from "@tenon/compose";
import { Client, defineMethod, defineServerExtension, Server, type ClientSession } from "@tenon/mcp";
import { createTaskEngine } from "@tenon/tasks";
import { taskClient, type StartedTask } from "@tenon/tasks/client";
import { tasks } from "@tenon/tasks/server";
import { bothEras, deferred, legacyRevision, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { expect, onTestFinished, test } from "vitest";

import { remote } from "./remote.ts";

type Era = (typeof bothEras)[number];

const skills = defineMethod({ method: "skills/list" });

function far(revision: Era): Server {
  return new Server({ name: "far", version: "1.0.0" }, { revisions: [revision], onError: () => {} });
}

function plain(revision: Era): Server {
  const server = far(revision);
  server.addTool({ name: "plain" }, () => "done");
  return server;
}

function withTasks(revision: Era): Server {
  const engine = createTaskEngine();
  onTestFinished(() => engine.close());
  const server = far(revision);
  server.use(tasks({ engine }));
  server.addTool({ name: "report", task: "required" }, () => "reported");
  return server;
}

function withSkills(revision: Era): Server {
  const server = far(revision);
  server.addTool({ name: "skilled" }, () => "done");
  server.use(
    defineServerExtension({
      id: "io.modelcontextprotocol/skills",
      setup: (own) =>
        own.addMethod(skills, () => ({ skills: [{ name: "cook", uri: "skill://cook/SKILL.md" }] })),
    }),
  );
  return server;
}

/** Composes a remote server. `restart` resolves when a client has read the tool of `next`. */
async function composedOf(
  first: Server,
  options: { readonly sessions?: boolean } = {},
): Promise<{
  readonly connect: (revision: Era) => Promise<ClientSession>;
  readonly restart: (next: Server, tool: string) => Promise<void>;
}> {
  const { url, kill, start } = await remote(first, options);
  const composed = compose(
    { far: () => new StreamableClientTransport(url, { reconnect: { initialDelayMs: 20 } }) },
    { onError: () => {}, names: "own", limits: { changeIntervalMs: 0 } },
  );
  onTestFinished(() => composed.close({ drainMs: 0 }));
  let changed = deferred();
  const connect = async (revision: Era): Promise<ClientSession> => {
    const [here, there] = createInMemoryTransports();
    await composed.connect(there);
    const client = new Client(
      { name: "bob", version: "1.0.0" },
      { revisions: [revision], cache: false, onToolsChanged: () => changed.resolve() },
    );
    client.use(taskClient());
    const session = await client.connect(here);
    onTestFinished(() => session.close({ drainMs: 0 }));
    return session;
  };
  const watcher = await connect(modernRevision);
  const listed = async (tool: string | undefined): Promise<void> => {
    for (;;) {
      changed = deferred();
      const [only] = (await watcher.listTools()).tools;
      if (only?.name === tool) {
        return;
      }
      await changed.promise;
    }
  };
  await watcher.listTools();
  return {
    connect,
    async restart(next, tool) {
      await kill();
      await listed(undefined);
      await start(next);
      await listed(tool);
    },
  };
}

test.each(bothEras.flatMap((back) => bothEras.map((front) => [back, front] as const)))(
  "a server that had no tasks and comes back with tasks of %s has them for a client of %s",
  async (back, front) => {
    const other = back === legacyRevision ? modernRevision : legacyRevision;
    const { connect, restart } = await composedOf(plain(other));
    await restart(withTasks(back), "report");
    const session = await connect(front);
    const reported = async (): Promise<unknown> => {
      if (front === legacyRevision) {
        return (await session.callTool({ name: "report" })).content;
      }
      const started = (await session.tasks.start({ name: "report" })) as StartedTask;
      return (await started.result()).content;
    };
    // A server that was restarted may respond before it is known that it is another one.
    const found = expect.poll(() => reported().catch(String));
    await found.toEqual([{ type: "text", text: "reported" }]);
  },
);

test.each(bothEras)(
  "a legacy server without sessions that comes back as a modern one is used by a client of %s",
  async (front) => {
    const { connect, restart } = await composedOf(plain(legacyRevision), { sessions: false });
    const next = far(modernRevision);
    next.addTool({ name: "other" }, () => "done");
    await restart(next, "other");
    const session = await connect(front);
    expect((await session.callTool({ name: "other" })).content).toEqual([{ type: "text", text: "done" }]);
  },
);

test("a server that had tasks and comes back without tasks is called without them", async () => {
  const { connect, restart } = await composedOf(withTasks(legacyRevision));
  await restart(plain(modernRevision), "plain");
  const session = await connect(legacyRevision);
  expect(session.serverCapabilities).not.toHaveProperty("tasks");
  expect((await session.callTool({ name: "plain" })).content).toEqual([{ type: "text", text: "done" }]);
});

test("a server that had no skills and comes back with skills has them for clients", async () => {
  const { connect, restart } = await composedOf(plain(legacyRevision));
  await restart(withSkills(modernRevision), "skilled");
  const session = await connect(modernRevision);
  expect(await session.request(skills, {})).toMatchObject({ skills: [{ name: "cook" }] });
});

test.each([
  [legacyRevision, modernRevision],
  [modernRevision, legacyRevision],
] as const)(
  "prompts of a server of %s that comes back as one of %s without prompts are announced",
  async (before, after) => {
    const first = plain(before);
    first.addPrompt({ name: "hello" }, () => "hello");
    const { url, kill, start } = await remote(first);
    const own = new Server({ name: "own", version: "1.0.0" });
    own.addPrompt({ name: "own" }, () => "own");
    const composed = compose(
      { far: () => new StreamableClientTransport(url, { reconnect: { initialDelayMs: 20 } }), own },
      { onError: () => {}, names: "own", limits: { changeIntervalMs: 0 } },
    );
    const [here, there] = createInMemoryTransports();
    await composed.connect(there);
    const changed = deferred();
    const client = new Client(
      { name: "bob", version: "1.0.0" },
      { revisions: [modernRevision], cache: false, onPromptsChanged: () => changed.resolve() },
    );
    const session = await client.connect(here);
    onTestFinished(async () => {
      await session.close({ drainMs: 0 });
      await composed.close({ drainMs: 0 });
    });
    await session.listTools();
    expect((await session.listPrompts()).prompts).toHaveLength(2);
    await kill();
    await start(plain(after));
    await expect(session.callTool({ name: "plain" })).rejects.toMatchObject({ code: -32_603 });
    await changed.promise;
    expect((await session.listPrompts()).prompts).toMatchObject([{ name: "own" }]);
  },
);
