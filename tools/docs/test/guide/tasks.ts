import { Client, Server, type ClientSession } from "@tenon/mcp";
import { createTaskEngine, type TaskEngine, type TaskStore } from "@tenon/tasks";
import { taskClient, type StartedTask } from "@tenon/tasks/client";
import { openFileTaskStore } from "@tenon/tasks/file";
import { tasks } from "@tenon/tasks/server";

declare const collect: (of: string) => Promise<number[]>;

/** A server with a long report. */
export function createReports(
  store: TaskStore | undefined,
  read: typeof collect = (of) => Promise.resolve([of.length]),
): { server: Server; engine: TaskEngine } {
  // #region server
  const engine = createTaskEngine({ store });
  const server = new Server({ name: "reports", version: "1.0.0" });
  server.use(tasks({ engine }));

  const input = { type: "object", properties: { of: { type: "string" } }, required: ["of"] } as const;
  const yesOrNo = { type: "object", properties: { send: { type: "boolean" } }, required: ["send"] } as const;
  server.addTool({ name: "report", input, task: "optional" }, async ({ of }, context) => {
    const numbers = await context.step("collect", () => read(of)); // runs once for the task
    await context.progress(1, 2, "The numbers are there.");
    const outcome = await context.elicit({ message: "Send the report?", requestedSchema: yesOrNo });
    return outcome.action === "accept" && outcome.content.send ? `Sent: ${numbers.join()}` : "Kept";
  });
  // #endregion server
  return { server, engine };
}

/** A server whose tasks survive a restart. */
export async function openReports(path: string): Promise<{ server: Server; close: () => Promise<void> }> {
  // #region file
  const store = await openFileTaskStore(path);
  const { server, engine } = createReports(store); // adds the tools, as above
  await engine.resume({ definitions: [] }); // continues the tasks of earlier processes
  // #endregion file
  return {
    server,
    close: async () => {
      await server.close({ drainMs: 0 });
      await engine.close({ drainMs: 0 });
      await store.close();
    },
  };
}

/** A client that follows tasks. */
export function createReader(send: boolean): Client {
  // #region client
  const client = new Client(
    { name: "reader", version: "1.0.0" },
    { elicitation: { form: () => ({ action: "accept", content: { send } }) } },
  );
  client.use(taskClient());
  // #endregion client
  return client;
}

/** A client that also keeps tasks itself. */
export function createHost(send: boolean): { client: Client; engine: TaskEngine } {
  const client = new Client(
    { name: "host", version: "1.0.0" },
    { revisions: ["2025-11-25"], elicitation: { form: () => ({ action: "accept", content: { send } }) } },
  );
  // #region host
  const engine = createTaskEngine();
  client.use(taskClient({ engine })); // close the engine after the client
  // #endregion host
  return { client, engine };
}

/** Adds a tool that asks for as long as it takes. */
export function addAsking(server: Server): void {
  const requestedSchema = {
    type: "object",
    properties: { send: { type: "boolean" } },
    required: ["send"],
  } as const;
  // #region ask
  server.addTool({ name: "ask" }, async (_, context) => {
    const question = { message: "Send the report?", requestedSchema };
    const outcome = await context.elicit(question, { task: { ttlMs: 3_600_000 } });
    return outcome.action;
  });
  // #endregion ask
}

/** A call that becomes a task. */
export async function call(session: ClientSession, show: (text: string) => void): Promise<object> {
  // #region call
  const result = await session.callTool(
    { name: "report", arguments: { of: "May" } },
    { onTask: ({ status, statusMessage }) => show(`${status}: ${statusMessage ?? ""}`) },
  );
  // #endregion call
  return result;
}

/** A task that another process continues. */
export async function continueLater(session: ClientSession, store: Map<string, string>): Promise<object> {
  // #region later
  const started = await session.tasks.start({ name: "report", arguments: { of: "May" } });
  store.set("report", JSON.stringify((started as StartedTask).reference));

  // later, in the same or another process
  const task = await session.tasks.resume(JSON.parse(store.get("report") ?? ""));
  const result = await task.result();
  // #endregion later
  return result;
}
