import type { NamedTool } from "@tenon/host";

import questionsOfUsers from "./questions.json" with { type: "json" };
import servers from "./servers.json" with { type: "json" };

/** What a user wants, and the tools that do it. */
export interface Question {
  readonly text: string;
  readonly tools: readonly string[];
}

/**
 * The tools of 38 servers that are in use. Names and parameters are those of the servers,
 * descriptions are our own words.
 */
export const tools: readonly NamedTool[] = Object.entries(servers).flatMap(([server, own]) =>
  Object.entries(own).map(([signature, description]) => {
    const [, name = "", parameters = ""] = /^(\w+)\((.*)\)$/.exec(signature) ?? [];
    const properties = parameters.split(",").filter((parameter) => parameter !== "");
    return {
      server,
      name: nameOf(server, name),
      tool: {
        name,
        description: `${description}.`,
        inputSchema: {
          type: "object" as const,
          properties: Object.fromEntries(properties.map((parameter) => [parameter, { type: "string" }])),
          required: properties.slice(0, 2),
        },
      },
    };
  }),
);

/** 130 questions, each in words that its tool does not share whole. */
export const questions: readonly Question[] = questionsOfUsers.map(([text = "", ...wanted]) => ({
  text,
  tools: wanted.map((each) => {
    const [server = "", name = ""] = each.split(" ");
    return nameOf(server, name);
  }),
}));

function nameOf(server: string, tool: string): string {
  return `mcp__${server}__${tool}`;
}
