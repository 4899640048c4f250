import { createTypeWriter, literal, pascalCase } from "@tenon/jsonschema/typescript";
import type { Tool } from "@tenon/protocol";

import { formatDefinitions } from "./definitions-constant.ts";
import { declareTools, toolMap, type ToolTypes } from "./tool-types.ts";

/** The contents of a generated module. `"ts"`: types and functions. `"dts"`: types alone. */
export type ModuleFormat = "ts" | "dts";

/** The source of a generated module. */
export interface ModuleSource {
  readonly server: { readonly name: string; readonly version: string };
  readonly tools: readonly Tool[];
  readonly format: ModuleFormat;
  /** The package that the types of the SDK are imported from. */
  readonly from: string;
  /** Called with a sentence for each schema without a type. */
  readonly onProblem: (message: string) => void;
}

/**
 * Writes a module with the types of a server's tools. The same definitions give the same text.
 *
 * @throws `SchemaError` if the types are longer than 4 Mi characters.
 */
export function writeModule({ server, tools, format, from, onProblem }: ModuleSource): string {
  const client = pascalCase(server.name).replace(/^[^A-Za-z]*/, "") || "Server";
  const sdkTypes = ["ClientSession", "RequestOptions"];
  const protocolTypes = format === "ts" ? ["CallToolResult", "Tool"] : ["CallToolResult"];
  const names = { map: "ToolMap", tools: `${client}Tools`, connect: `connect${client}` };
  const writer = createTypeWriter({ reserved: [...sdkTypes, ...protocolTypes, names.map, names.tools] });
  const types = declareTools(tools, writer, onProblem);
  const imports = [
    // The umbrella has the types of the protocol too.
    importOf(protocolTypes, /^@tenon\/mcp\b/.test(from) ? "@tenon/protocol" : from),
    ...(format === "ts" ? [importOf(sdkTypes, from)] : []),
  ];
  const parts = [
    `// Written by \`tenon typegen\` from ${literal(`${server.name} ${server.version}`)}. Write it again instead of changing it.\n${imports.join("")}`,
    writer.text(),
    `/** The tools of the server, by name. */\nexport type ${names.map} = ${block(toolMap(types))};\n`,
  ];
  if (format === "ts") {
    parts.push(
      `/** The tools of the server, as functions. */\nexport type ${names.tools} = ${block(signatures(types))};\n`,
      `/**
 * Makes functions of the tools of a connected server. A tool that fails rejects with \`ToolError\`,
 * and an output that does not match its schema with \`McpError\`.
 */\n` + connectFunction(names, types),
      `/** The definitions of the tools, for checks at run time. */\n${formatDefinitions(tools)}`,
    );
  }
  return parts.filter((part) => part !== "").join("\n");
}

function importOf(types: readonly string[], from: string): string {
  return `import type { ${types.join(", ")} } from ${literal(from)};\n`;
}

function signatures(types: readonly ToolTypes[]): string {
  return types
    .map(
      ({ comment, method, input, isInputOptional, output }) =>
        `${comment}${method}(input${isInputOptional ? "?" : ""}: ${input}, options?: RequestOptions): Promise<${output}>;`,
    )
    .join("\n");
}

function connectFunction(
  { tools, connect }: { readonly tools: string; readonly connect: string },
  types: readonly ToolTypes[],
): string {
  const members = types.map(({ tool, method }) => `    ${method}: call(${literal(tool.name)}),\n`).join("");
  return `export function ${connect}(session: ClientSession): ${tools} {
  const call = (name: string) => {
    const output: unknown = definitions.find((tool) => tool.name === name)?.outputSchema;
    return (input: object = {}, options?: RequestOptions): Promise<never> =>
      session.callTool({ name, input: undefined, output }, input as never, options) as Promise<never>;
  };
  return {
${members}  };
}
`;
}

/** A type with members, each on a line of its own. */
function block(members: string): string {
  return members === "" ? "{}" : `{\n  ${members.replaceAll("\n", "\n  ")}\n}`;
}
