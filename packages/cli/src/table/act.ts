import type { CommandSpec, OptionSpec } from "../command/spec.ts";
import type { TaskAction } from "../commands/task.ts";
import { target } from "./operands.ts";

const taskExamples: Readonly<Record<TaskAction, string>> = {
  get: "tenon task get https://example.com/mcp t_1 --follow",
  list: "tenon task list https://example.com/mcp",
  result: "tenon task result https://example.com/mcp t_1",
  cancel: "tenon task cancel https://example.com/mcp t_1",
  answer: "tenon task answer https://example.com/mcp t_1 --input responses.json",
};

/** A command of `tenon task`. */
function taskCommand(name: TaskAction, summary: string, options: readonly OptionSpec[] = []): CommandSpec {
  return {
    name,
    summary,
    operands: name === "list" ? [target] : [target, { name: "id" }],
    options,
    connects: true,
    streams: name === "get",
    examples: [taskExamples[name]],
    load: async () => {
      const { runTask } = await import("../commands/task.ts");
      return { run: (invocation) => runTask(invocation, name) };
    },
  };
}

/** Commands that use what a server offers. */
export const act: readonly CommandSpec[] = [
  {
    name: "call",
    summary: "call a tool",
    operands: [
      target,
      { name: "tool", isAsked: true, hint: "tenon list <target> shows the tools" },
      { name: "arguments", isRest: true, takesOptions: true },
    ],
    options: [
      { flags: "--raw", description: "write text and bytes unchanged, without labels, to a pipe or a file" },
      { flags: "--save <folder>", description: "write pictures, sounds and files into a folder" },
      { flags: "--fresh", description: "do not list the tools first" },
      {
        flags: "--task <end>",
        description: "run it as a task: print its handle, or wait for its result",
        choices: ["handle", "result"],
      },
    ],
    connects: true,
    examples: [
      "tenon call files read_file path=notes.txt",
      "tenon call files search pattern=TODO limit:=5 'exclude:=[\"dist\"]'",
      'echo \'{"path": "notes.txt"}\' | tenon call files read_file - --json',
      "tenon call chart days=7 --save pictures -- node server.js",
    ],
    load: () => import("../commands/call.ts"),
  },
  {
    name: "read",
    summary: "read a resource",
    operands: [target, { name: "uri", isAsked: true, hint: "tenon resources <target> shows the resources" }],
    options: [{ flags: "--raw", description: "write text and bytes unchanged, to a pipe or a file" }],
    connects: true,
    examples: ["tenon read docs file:///readme.md"],
    load: () => import("../commands/read.ts"),
  },
  {
    name: "prompt",
    summary: "have a prompt filled in",
    operands: [
      target,
      { name: "prompt", isAsked: true, hint: "tenon list <target> shows the prompts" },
      { name: "arguments", isRest: true },
    ],
    connects: true,
    examples: ["tenon prompt reviewer review language=rust"],
    load: () => import("../commands/prompt.ts"),
  },
  {
    name: "complete",
    summary: "ask for values of an argument of a prompt, or of a variable of a template",
    operands: [target, { name: "reference" }, { name: "argument" }, { name: "others", isRest: true }],
    connects: true,
    examples: ["tenon complete reviewer review language=ru", "tenon complete docs 'docs://{page}' page=in"],
    load: () => import("../commands/complete.ts"),
  },
  {
    name: "skills",
    summary: "list the skills of a server, or read a verified file of one",
    operands: [target, { name: "uri", isOptional: true }, { name: "path", isOptional: true }],
    connects: true,
    examples: ["tenon skills docs", "tenon skills docs skill://refunds/SKILL.md"],
    load: () => import("../commands/skills.ts"),
  },
  {
    name: "task",
    summary: "read, follow, cancel and continue tasks of a server",
    commands: [
      taskCommand("get", "read a task", [
        { flags: "--follow", description: "print each change until it ends" },
      ]),
      taskCommand("list", "list the tasks of a legacy server"),
      taskCommand("result", "wait for the result of a task"),
      taskCommand("cancel", "cancel a task"),
      taskCommand("answer", "respond to the input requests of a task", [
        { flags: "--input <file>", description: "JSON: the responses, by key" },
      ]),
    ],
  },
];
