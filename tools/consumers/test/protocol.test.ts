import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { installPacks } from "@tenon/test-support/packs";
import { afterAll, beforeAll, expect, test } from "vitest";

const require = createRequire(import.meta.url);
const exec = promisify(execFile);

const compilers = [
  { version: "5.4", manifest: require.resolve("typescript-5.4/package.json") },
  { version: "5.9", manifest: require.resolve("typescript-5.9/package.json") },
  { version: "6", manifest: require.resolve("typescript-6/package.json") },
  { version: "7", manifest: require.resolve("typescript/package.json") },
];
const resolutions = [
  { module: "nodenext", moduleResolution: "nodenext" },
  { module: "esnext", moduleResolution: "bundler" },
];

const consumer = `
import { eraOf, isRevision, latest, latestLegacy, methodTables, revisions } from "@tenon/protocol";
import type { CallToolResult, ContentBlock, MethodInfo, Methods, Notifications, Revision, Tool } from "@tenon/protocol";
import { methods } from "@tenon/protocol/2025-06-18";
import type * as Exact from "@tenon/protocol/2026-07-28";
import { checkParams, isCallToolResult } from "@tenon/protocol/2026-07-28/validators";

export const tool: Tool = { name: "greet", inputSchema: { type: "object", properties: { name: { type: "string" } } } };
export const exact: Exact.CallToolResult = { content: [{ type: "text", text: "hi" }], resultType: "complete" };
export const result: CallToolResult = exact;

export function textOf(block: ContentBlock): string | undefined {
  return block.type === "text" ? block.text : undefined;
}

export interface Session {
  request<M extends keyof Methods>(method: M, params: Methods[M]["params"]): Promise<Methods[M]["result"]>;
  notify<N extends keyof Notifications>(method: N, params: Notifications[N]["params"]): Promise<void>;
}

export async function names(session: Session): Promise<string[]> {
  const { tools } = await session.request("tools/list", {});
  await session.notify("notifications/progress", { progressToken: 1, progress: 0.5 });
  return tools.map((each) => each.name);
}

// @ts-expect-error a tool has a name
export const nameless: Tool = { inputSchema: { type: "object" } };

export const revision: Revision = isRevision("x") ? latest : latestLegacy;
export const row: MethodInfo | undefined = methodTables[revision]["tools/call"];
const verdict = checkParams("tools/call", {});
export const place: string = verdict.state === "invalid" ? verdict.instanceLocation : verdict.state;
export const all: unknown[] = [isCallToolResult(exact), methods["tools/list"].kind, eraOf(revision), revisions.length];
`;

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consumer-"));
  await installPacks(["packages/protocol", "packages/base"], join(folder, "node_modules"));
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  await writeFile(join(folder, "consumer.ts"), consumer);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test.each(compilers.flatMap((compiler) => resolutions.map((resolution) => ({ ...compiler, ...resolution }))))(
  "the packed protocol compiles with TypeScript $version, $moduleResolution, without skipLibCheck",
  async ({ version, manifest, module, moduleResolution }) => {
    const options = {
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      skipDefaultLibCheck: true,
      noEmit: true,
      target: "es2022",
      lib: ["es2022"],
      types: [],
      module,
      moduleResolution,
    };
    const project = join(folder, `tsconfig.${version}.${moduleResolution}.json`);
    await writeFile(project, JSON.stringify({ compilerOptions: options, files: ["consumer.ts"] }));
    const tsc = join(dirname(manifest), "bin", "tsc");
    const { stdout } = await exec(process.execPath, [tsc, "-p", project]).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe("");
  },
);

/** Type instantiations that TypeScript 7 counts for a module, libraries included. */
async function instantiations(name: string, text: string): Promise<number> {
  const options = {
    strict: true,
    noEmit: true,
    target: "es2022",
    lib: ["es2022"],
    module: "nodenext",
    types: [],
  };
  await writeFile(join(folder, `${name}.ts`), text);
  await writeFile(
    join(folder, `tsconfig.${name}.json`),
    JSON.stringify({ compilerOptions: options, files: [`${name}.ts`] }),
  );
  const tsc = join(dirname(require.resolve("typescript/package.json")), "bin", "tsc");
  const project = join(folder, `tsconfig.${name}.json`);
  const args = [tsc, "-p", project, "--extendedDiagnostics", "--singleThreaded"];
  const { stdout } = await exec(process.execPath, args);
  return Number(/^Instantiations:\s+(\d+)/m.exec(stdout)?.[1]);
}

test("using every method's params and result costs the compiler next to nothing", async () => {
  const use = (entry: string): string => `import type { Methods, Notifications } from "${entry}";
    export function request<M extends keyof Methods>(method: M, params: Methods[M]["params"]): Methods[M]["result"] {
      throw new Error(JSON.stringify([method, params]));
    }
    export const all: (keyof Methods | keyof Notifications)[] = [];
    export const { tools } = request("tools/list", { _meta: {} as never });`;
  const nothing = await instantiations("nothing", "export {};");
  expect(nothing).toBeGreaterThan(0);
  expect((await instantiations("merged", use("@tenon/protocol"))) - nothing).toBeLessThan(200);
  expect((await instantiations("exact", use("@tenon/protocol/2026-07-28"))) - nothing).toBeLessThan(200);
});

test("the packed protocol runs on this Node, from the root and from a revision's subpath", async () => {
  const script = `
    const { latest, latestLegacy, eraOf, methodTables } = await import("@tenon/protocol");
    const { methods } = await import("@tenon/protocol/" + latest);
    const { checkResult } = await import("@tenon/protocol/" + latest + "/validators");
    console.log(checkResult("ping", {}).state, checkResult("tools/list", {}).keyword);
    console.log(latest, eraOf(latest), latestLegacy, eraOf(latestLegacy), methods === methodTables[latest]);`;
  const { stdout } = await exec(process.execPath, ["--input-type=module", "--eval", script], { cwd: folder });
  expect(stdout).toBe("absent required\n2026-07-28 modern 2025-11-25 legacy true\n");
});
