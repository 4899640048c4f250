import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { assembled } from "./assemble.ts";
import type { Documented } from "./documented.ts";
import { createProject, nodes, run, serve, tenon, writeProgram, type Node, type Project } from "./run.ts";
import { servers, type Wait } from "./wait.ts";

/** Declares a test for each program and each version of Node that it must run on. */
export function verifyPrograms(programs: readonly Documented[]): void {
  const runs = programs.flatMap((program) =>
    nodes
      .slice(0, program.everywhere === true ? nodes.length : 1)
      .map((node) => [`${program.name} (${node.name})`, program, node] as const),
  );
  describe.concurrent("programs of the documentation", () => {
    test.each(runs)("%s", async (_, program, node) => {
      const { stdout, stderr, code } = await start(program, node);
      const { prints } = program;
      const printed = stdout.trim();
      const isRight = typeof prints === "string" ? printed === prints : prints.test(printed);
      expect(isRight && code === (program.code ?? 0), `exit code ${code}\n${stdout}\n${stderr}`).toBe(true);
    });
  });
}

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

/** Declares a test for each wait. They share a project and a server. */
export function verifyWaits(waits: readonly Wait[]): void {
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

  describe.concurrent("a process stays alive while its program awaits", () => {
    test.each(waits.map((each, index) => [each.name, each, index] as const))("%s", async (_, each, index) => {
      const { stdout, stderr, code } = await wait(project, each, index);
      expect(code, `${stdout}\n${stderr}`).toBe(0);
      expect(stdout).toMatch(each.prints);
    });
  });
}

async function wait(
  { folder, url }: Project & { readonly url: string },
  { program, tenon: args = [] }: Wait,
  index: number,
): Promise<Awaited<ReturnType<typeof run>>> {
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
