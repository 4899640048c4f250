import { existsSync } from "node:fs";
import { resolve } from "node:path";

import { isRecord } from "@tenon/base";
import type { CallToolParams } from "@tenon/mcp/client";
import type { CallToolResult, Tool } from "@tenon/protocol";

import type { Invocation } from "../command/invocation.ts";
import { nearest } from "../command/nearest.ts";
import { CliError, exitCodes, usageError } from "../exit.ts";
import { contentBytes } from "../output/content.ts";
import { messageOf } from "../output/escape.ts";
import { isFileName } from "../output/save.ts";
import { readArguments } from "../session/arguments.ts";
import { fetchLists } from "../session/definitions.ts";
import { withLogin } from "../session/offer-login.ts";
import { openTarget, type OpenSession } from "../session/open.ts";
import { printToolResult } from "../session/print-tool-result.ts";
import { showProgress } from "../session/progress.ts";
import { completeArguments } from "../session/tool-arguments.ts";
import { resolveTarget } from "../target/resolve.ts";
import type { Target } from "../target/target.ts";

/** The folder of `--save`. Rejects the name of a file, before the tool is called. */
function folderToSave({ flags, shell }: Invocation): string | undefined {
  const given = flags.text("save");
  const folder = given === undefined ? undefined : resolve(shell.cwd, given);
  if (folder !== undefined && isFileName(folder) && !existsSync(folder)) {
    throw usageError(
      `--save needs a folder, and ${JSON.stringify(given)} is the name of a file.`,
      "--save . writes into the current folder",
    );
  }
  return folder;
}

/** Calls a tool and prints its result. */
export async function run(invocation: Invocation): Promise<number> {
  const { flags, printer, shell } = invocation;
  if (flags.has("raw") && (printer.mode !== "text" || shell.stdout.isTTY === true)) {
    throw usageError(
      "--raw writes bytes as the server sent them.",
      "send them to a file or a pipe, without --json",
    );
  }
  const folder = folderToSave(invocation);
  const target = await resolveTarget(invocation);
  // The user enters values once, even if the server then requires a further scope.
  const known: Known = {};
  return withLogin(invocation, target, () => callOnce(invocation, target, folder, known));
}

/** Values of the command line, and values that the user has entered. */
interface Known {
  name?: string;
  args?: Record<string, unknown>;
}

async function callOnce(
  invocation: Invocation,
  target: Target,
  folder: string | undefined,
  known: Known,
): Promise<number> {
  const { flags, printer, shell } = invocation;
  const asTask = flags.text("task");
  const tasks = asTask === undefined ? undefined : (await import("@tenon/tasks/client")).taskClient();
  await using opened = await openTarget(invocation, target, {
    ...(tasks === undefined ? {} : { prepare: (client) => client.use(tasks) }),
  });
  const name = (known.name ??= invocation.operand("tool") ?? (await chooseTool(opened)));
  const tool = flags.has("fresh") ? undefined : await findTool(opened, name);
  const args = (known.args ??= await completeArguments(
    invocation,
    tool?.tool,
    await readArguments(invocation.rest, tool?.tool?.inputSchema, shell),
  ));
  if (asTask === "handle") {
    // Without `await` the session would end first.
    return await startTask(invocation, opened, { name, arguments: args });
  }
  const result = await callTool(invocation, opened, name, args).catch((error: unknown) => {
    throw withAdvice(error, name, tool);
  });
  if (flags.has("raw")) {
    result.content.forEach((block) => printer.raw(contentBytes(block)));
  } else {
    return printToolResult(invocation, name, result, folder);
  }
  return result.isError === true ? exitCodes.failed : exitCodes.ok;
}

interface FoundTool {
  readonly tool: Tool | undefined;
  readonly names: readonly string[];
}

async function findTool({ session, signal }: OpenSession, name: string): Promise<FoundTool> {
  const { tools = [] } = await fetchLists(session, ["tools"], signal);
  return { tool: tools.find((each) => each.name === name), names: tools.map((each) => each.name) };
}

async function chooseTool(opened: OpenSession): Promise<string> {
  const { chooseDefinition } = await import("../session/choose-definition.ts");
  return (await chooseDefinition(opened, "tools")).name;
}

function callTool(
  { flags, printer }: Invocation,
  { session, signal }: OpenSession,
  name: string,
  args: Record<string, unknown>,
): Promise<CallToolResult> {
  printer.progress(`${name} …`);
  return session.callTool(
    { name, arguments: args },
    { signal, onProgress: showProgress(printer, name), fresh: flags.has("fresh") },
  );
}

/** Starts a task and prints its handle, which later commands use: `tenon task get`. */
async function startTask(
  { printer, program }: Invocation,
  { session, signal, target }: OpenSession,
  call: CallToolParams,
): Promise<number> {
  const started = await session.tasks.start(call, { signal });
  if (!("task" in started) || started.resultType !== "task") {
    throw new CliError("protocol", `The server did not make a task of the call of ${call.name}.`, {
      hint: "call it without --task",
    });
  }
  const { task } = started;
  printer.result(task, () => `${task.id}  ${task.status}\ntenon task result ${target.label} ${task.id}`);
  if (program !== undefined || target.kind === "module") {
    printer.note(
      "This server ends with the command, and its task with it unless it keeps tasks in a store. --task result waits.",
    );
  }
  return exitCodes.ok;
}

function withAdvice(error: unknown, name: string, found: FoundTool | undefined): unknown {
  if (
    found === undefined ||
    found.tool !== undefined ||
    !isRecord(error) ||
    typeof error["code"] !== "number"
  ) {
    return error;
  }
  // Gateways put the name of a server in front: names that end alike are meant.
  const last = (full: string): string => full.split("__").at(-1) ?? full;
  const near = nearest(name, found.names) ?? found.names.find((each) => last(each) === last(name));
  const hint =
    near === undefined
      ? "tenon tools <target> lists the tools"
      : `the server has a tool ${JSON.stringify(near)}`;
  return new CliError("protocol", messageOf(error), { hint, cause: error });
}
