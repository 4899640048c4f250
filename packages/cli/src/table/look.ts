import type { CommandSpec, OptionSpec } from "../command/spec.ts";
import { target } from "./operands.ts";

const listOptions: readonly OptionSpec[] = [
  { flags: "--all", description: "whole descriptions instead of first lines" },
  { flags: "--schema", description: "the JSON Schemas of tools" },
  {
    flags: "--vendor <name>",
    description: "the changes that openai, anthropic or gemini requires in the tools",
  },
  { flags: "--cost", description: "the cost of the definitions of tools in the context of a model" },
  { flags: "--search <words>", description: "only items that contain all of these words" },
];

/** A command that lists definitions. */
function listing(name: string, summary: string): CommandSpec {
  return {
    name,
    summary,
    operands: [target],
    options: listOptions,
    connects: true,
    examples: [`tenon ${name} files --search note`, `tenon ${name} -- node server.js`],
    load: async () => {
      const { runList } = await import("../commands/list.ts");
      return { run: (invocation) => runList(invocation, name) };
    },
  };
}

/** Commands that show what a server offers. */
export const look: readonly CommandSpec[] = [
  {
    name: "explore",
    summary: "list what a server offers and, at a terminal, call and read what you choose",
    operands: [target],
    options: listOptions,
    connects: true,
    examples: ["tenon explore https://example.com/mcp", "tenon https://example.com/mcp"],
    load: () => import("../commands/explore.ts"),
  },
  listing("list", "list what a server offers: tools, resources, templates and prompts"),
  listing("tools", "list the tools of a server as signatures"),
  listing("resources", "list the resources of a server"),
  listing("templates", "list the resource templates of a server"),
  listing("prompts", "list the prompts of a server"),
  {
    name: "ping",
    summary: "ask a server whether it responds, and measure the time",
    operands: [target],
    options: [{ flags: "--count <n>", description: "how many times (default: 1)" }],
    connects: true,
    examples: ["tenon ping files --count 5"],
    load: () => import("../commands/ping.ts"),
  },
  {
    name: "watch",
    summary: "print the changes that a server announces, until it is interrupted",
    operands: [target, { name: "uri", isRest: true }],
    options: [{ flags: "--count <n>", description: "end after this many changes" }],
    connects: true,
    streams: true,
    examples: ["tenon watch https://example.com/mcp notes://1 --jsonl"],
    load: () => import("../commands/watch.ts"),
  },
];
