import { setTimeout as sleep } from "node:timers/promises";

import { RpcError } from "@tenon/jsonrpc2";
import { ToolError, type RequestContext, type Server } from "@tenon/mcp";
import { createTaskEngine } from "@tenon/tasks";
import { openFileTaskStore } from "@tenon/tasks/file";
import { tasks } from "@tenon/tasks/server";

import { nameForm } from "./forms.ts";

const path = process.env["TASKS_FILE"];
const store = path === undefined ? undefined : await openFileTaskStore(path);

const job = {
  type: "object",
  properties: { seconds: { type: "number" }, label: { type: "string" } },
} as const;
const confirmForm = {
  type: "object",
  properties: { confirm: { type: "boolean" } },
  required: ["confirm"],
} as const;

/** The tools of the scenarios about tasks. */
export function addTaskTools(server: Server): void {
  server.use(tasks({ engine: createTaskEngine({ store, onError: (error) => console.error(error) }) }));
  server.addTool(
    {
      name: "greet",
      description: "Greets someone",
      input: { type: "object", properties: { name: { type: "string" } } },
    },
    ({ name }) => `Hello, ${name ?? "you"}!`,
  );
  server.addTool(
    { name: "slow_compute", description: "Works for some seconds", input: job, task: "optional" },
    async ({ seconds = 1, label = "job" }, { signal }) => {
      await sleep(seconds * 1000, undefined, { signal });
      return `${label} done`;
    },
  );
  server.addTool(
    { name: "failing_job", description: "Fails after a second", task: "required" },
    async (_, { signal }) => {
      await sleep(1000, undefined, { signal });
      throw new ToolError("It failed on purpose.");
    },
  );
  server.addTool(
    { name: "protocol_error_job", description: "Ends with an error of the protocol", task: "optional" },
    () => {
      throw new RpcError(-32_603, "Broken on purpose");
    },
  );
  server.addTool(
    {
      name: "confirm_delete",
      description: "Asks before it deletes",
      input: { type: "object", properties: { filename: { type: "string" } } },
      task: "optional",
    },
    async ({ filename = "file" }, context) => {
      const message = `Delete ${filename}?`;
      const answer = await context.elicit({ message, requestedSchema: confirmForm });
      return answer.action === "accept" && answer.content.confirm
        ? `deleted ${filename}`
        : `kept ${filename}`;
    },
  );
  server.addTool(
    { name: "multi_input", description: "Asks for two names", task: "optional" },
    async (_, context) => {
      const asked = ["first", "second"].map((key) =>
        context.elicit({ message: `Your ${key} name?`, requestedSchema: nameForm }, { key }),
      );
      await Promise.all(asked);
      return "both";
    },
  );
  const askName = (_: unknown, context: RequestContext): Promise<unknown> =>
    context.elicit({ message: "Your name?", requestedSchema: nameForm });
  server.addTool(
    {
      name: "test_tool_with_task",
      description: "Asks for a name before its task",
      task: { mode: "required", prepare: askName },
    },
    (_, { task }) => {
      const prepared = task?.prepared as { readonly content?: { readonly name?: string } } | undefined;
      return `Hi ${prepared?.content?.name}`;
    },
  );
}
