import { isSocketUrl } from "@tenon/http/socket";
import { createNames, literal } from "@tenon/jsonschema/typescript";
import type { Tool } from "@tenon/protocol";

import { formatDefinitions, plainHead } from "../typegen/definitions-constant.ts";
import { kebabCase, optionsOf } from "./options.ts";
import { runtime } from "./runtime.ts";

/** The server of a generated program, without secrets. */
export type ProgramServer =
  | {
      readonly kind: "program";
      readonly command: string;
      readonly args: readonly string[];
      /** The names of the variables that are passed on. */
      readonly env: readonly string[];
      /** The folder of the server, relative to the generated file. */
      readonly folder: string | undefined;
    }
  | { readonly kind: "remote"; readonly url: string };

/** The source of a generated program. */
export interface ProgramSource {
  readonly info: { readonly name: string; readonly version: string };
  readonly server: ProgramServer;
  readonly tools: readonly Tool[];
  /** The package of the SDK. */
  readonly from: string;
}

/**
 * Writes a program that calls the tools of a server as its commands. It is a module of JavaScript.
 * Equal definitions result in equal programs.
 */
export function writeProgram({ info, server, tools, from }: ProgramSource): string {
  const names = createNames(["help", "version"]);
  const commands = tools.map((tool) => ({
    command: names.take(kebabCase(tool.name), "tool"),
    tool: tool.name,
    options: optionsOf(tool),
  }));
  const isSdk = !/^@tenon\/mcp\b/.test(from);
  const transport =
    server.kind === "remote" && isSocketUrl(server.url)
      ? `import { socketTransport } from ${literal(isSdk ? `${from}/socket` : "@tenon/transports-streamable-http/socket")};\n`
      : server.kind === "remote"
        ? `import { StreamableClientTransport } from ${literal(isSdk ? `${from}/http` : "@tenon/transports-streamable-http/client")};\n`
        : `import { CommandTransport } from ${literal(isSdk ? `${from}/stdio` : "@tenon/transports-stdio")};\n`;
  return [
    "#!/usr/bin/env node\n",
    `// Written by \`tenon generate cli\` from ${literal(`${info.name} ${info.version}`)}. Write it again instead of changing it.\n`,
    'import { parseArgs } from "node:util";\n',
    server.kind === "program" ? 'import { fileURLToPath } from "node:url";\n' : "",
    `\nimport { Client } from ${literal(isSdk ? `${from}/client` : "@tenon/mcp/client")};\n`,
    transport,
    `\nconst info = ${literal({ name: info.name, version: info.version })};\n`,
    `const commands = [\n${commands.map((each) => `  ${literal(each)},\n`).join("")}];\n`,
    `// The commands were made from these tools.\n${formatDefinitions(tools, plainHead)}\n`,
    transportFunction(server),
    runtime,
  ].join("");
}

function transportFunction(server: ProgramServer): string {
  if (server.kind === "remote") {
    const create = isSocketUrl(server.url) ? "socketTransport" : "new StreamableClientTransport";
    return `function transportWith(headers) {
  return ${create}(${literal(server.url)}, { headers });
}
`;
  }
  const { command, args, env, folder } = server;
  const cwd =
    folder === undefined ? "" : `\n    cwd: fileURLToPath(new URL(${literal(folder)}, import.meta.url)),`;
  return `function transportWith() {
  const names = ${literal(env)}.filter((name) => process.env[name] !== undefined);
  return new CommandTransport({
    command: ${literal(command)},
    args: ${literal(args)},
    env: Object.fromEntries(names.map((name) => [name, process.env[name]])),${cwd}
    stderr: () => {},
  });
}
`;
}
