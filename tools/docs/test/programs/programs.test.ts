import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { codeBlocks, executable, pages, pathOf } from "../../src/markdown.ts";
import { assembled } from "./assemble.ts";
import { ofDocs, type Documented } from "./documented.ts";
import { elsewhere } from "./elsewhere.ts";
import { ofPackages } from "./of-packages.ts";
import { createProject, nodes, run, serve, tenon, writeProgram, type Node, type Project } from "./run.ts";
import { servers, waits, type Wait } from "./waits.ts";

const documented = [...ofDocs, ...ofPackages];

/** Regions of code, each alone: `path#a+b` is two. */
const each = (source: string): readonly string[] => {
  const [file = "", names] = source.split("#");
  return names === undefined ? [file] : names.split("+").map((name) => `${file}#${name}`);
};

test("every block of code in the documentation is in a program, or in the list of those that are none", () => {
  const inPages = pages().flatMap((page) =>
    codeBlocks(readFileSync(page, "utf8"))
      .filter(({ language }) => executable.has(language))
      .flatMap(({ source, runBy }) => each(source ?? runBy ?? pathOf(page))),
  );
  const inPrograms = documented
    .flatMap(({ parts, beside = {} }) => [...parts, ...Object.values(beside).flat()])
    .filter((part) => typeof part === "string")
    .flatMap(each);
  const listed = Object.values(elsewhere).flat();
  expect([...new Set(inPages)].filter((part) => !inPrograms.includes(part)).sort()).toEqual(
    listed.toSorted(),
  );
});

test("a change of a package that a program imports makes this file due", async () => {
  const scripts = pathToFileURL(join(import.meta.dirname, "../../../run/inputs.mjs")).href;
  const { inputs } = (await import(scripts)) as { readonly inputs: Record<string, { uses?: string[] }> };
  const uses = inputs["tools/docs/test/programs/programs.test.ts"]?.uses ?? [];
  const programs = documented.flatMap(({ parts, beside = {} }) =>
    [parts, ...Object.values(beside)].map((some) => assembled(some)),
  );
  const imported = programs.flatMap((text) =>
    [...text.matchAll(/"@tenon\/([\w-]+)/g)].map(([, name]) => `packages/${name}`),
  );
  // The SDK uses the others itself.
  expect([...new Set(imported)].filter((name) => !uses.includes(name)).sort()).toEqual(
    ["jsonrpc2", "jsonschema", "protocol", "transports-sse", "transports-stdio", "uri-template"].map(
      (name) => `packages/${name}`,
    ),
  );
});

const runs = documented.flatMap((program) =>
  nodes.slice(0, program.everywhere === true ? nodes.length : 1).map((node) => ({ ...program, node })),
);

async function start(program: Documented, node: Node): Promise<Awaited<ReturnType<typeof run>>> {
  await using project = await createProject();
  const { folder } = project;
  const file = await writeProgram(folder, "program", assembled(program.parts), node);
  let extension = ".mjs";
  for (const [name, parts] of Object.entries(program.beside ?? {})) {
    const other = await writeProgram(folder, name, assembled(parts), node);
    extension = other.slice(name.length);
  }
  const filled = (text: string): string => text.replaceAll("$dir", folder).replaceAll("$ext", extension);
  for (const [path, text] of Object.entries(program.files ?? {})) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), filled(text));
  }
  return await run({
    binary: node.binary,
    args: [file, ...(program.args ?? []).map(filled)],
    cwd: folder,
    input: program.input,
    until: program.until,
  });
}

describe.concurrent("programs of the documentation", () => {
  test.each(runs.map((program) => [`${program.name} (${program.node.name})`, program] as const))(
    "%s",
    async (_, program) => {
      const { stdout, stderr, code } = await start(program, program.node);
      const { prints } = program;
      const printed = stdout.trim();
      const isRight = typeof prints === "string" ? printed === prints : prints.test(printed);
      expect(isRight && code === (program.code ?? 0), `exit code ${code}\n${stdout}\n${stderr}`).toBe(true);
    },
  );
});

let project: Project & { readonly url: string; stop(): void };

beforeAll(async () => {
  const { folder, ...rest } = await createProject();
  await writeFile(join(folder, "servers.mjs"), servers);
  await writeFile(
    join(folder, "mortal.mjs"),
    `import { Server } from "@tenon/sdk/server";
     import { StdioTransport } from "@tenon/sdk/stdio";
     const server = new Server({ name: "mortal", version: "1.0.0" });
     server.addTool({ name: "die" }, () => process.exit(3));
     server.addTool({ name: "live" }, () => "alive");
     await server.run(new StdioTransport());`,
  );
  project = { folder, ...rest, ...(await serve(join(folder, "servers.mjs"))) };
});

afterAll(async () => {
  project.stop();
  await project[Symbol.asyncDispose]();
});

async function wait(
  { program, tenon: args = [] }: Wait,
  index: number,
): Promise<Awaited<ReturnType<typeof run>>> {
  const { folder, url } = project;
  if (program === undefined) {
    const isOfTask = args.includes("$task");
    const begun = isOfTask
      ? await run({
          args: [tenon, "call", `${url}/mcp`, "polled", "--task", "handle", "--json"],
          cwd: folder,
        })
      : undefined;
    const id = /"(?:taskId|id)": *"([^"]+)"/.exec(begun?.stdout ?? "")?.[1] ?? begun?.stdout ?? "";
    const filled = args.map((arg) => arg.replace("$url", url).replace("$task", id));
    return run({ args: [tenon, ...filled], cwd: folder });
  }
  const file = `wait-${index}.mjs`;
  await writeFile(join(folder, file), [`const url = ${JSON.stringify(url)};`, ...program].join("\n"));
  return run({ args: [file], cwd: folder });
}

describe.concurrent("a process stays alive while its program awaits", () => {
  test.each(waits.map((each, index) => [each.name, each, index] as const))("%s", async (_, each, index) => {
    const { stdout, stderr, code } = await wait(each, index);
    expect(code, `${stdout}\n${stderr}`).toBe(0);
    expect(stdout).toMatch(each.prints);
  });
});
