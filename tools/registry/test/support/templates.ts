import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const run = promisify(execFile);
/** A program that hangs fails by itself. */
const exec = (program: string, args: readonly string[], options: { readonly cwd: string }) =>
  run(program, args, { ...options, timeout: 240_000, killSignal: "SIGKILL" });
const here = createRequire(import.meta.url);

/** Every template whose programs can be built and run here; Next.js is not installed. */
export const built = [
  "stdio",
  "http-node",
  "http-express",
  "http-fastify",
  "http-hono",
  "http-workers",
  "http-bun",
  "http-deno",
  "http-next",
  "http-lambda",
  "auth",
  "tasks",
  "app",
  "skills",
  "client",
  "host",
] as const;

/** The commands that start a server over HTTP; `undefined` where a runtime is missing. */
export const starts: Readonly<Record<string, readonly string[] | undefined>> = {
  "http-node": [process.execPath, "built/http-node/src/main.js"],
  "http-express": [process.execPath, "built/http-express/src/main.js"],
  "http-fastify": [process.execPath, "built/http-fastify/src/main.js"],
  "http-hono": [process.execPath, "built/http-hono/src/main.js"],
  "http-bun": runtime("bun", "@oven/bun-linux-x64/package.json", "bin/bun", "http-bun/src/main.ts"),
  "http-deno": runtime(
    "deno",
    "@deno/linux-x64-glibc/package.json",
    "deno",
    ...["run", "--allow-net", "--allow-env", "--allow-read", "--no-lock", "http-deno/src/main.ts"],
  ),
};

function runtime(
  name: string,
  platform: string,
  file: string,
  ...args: readonly string[]
): readonly string[] | undefined {
  try {
    const within = createRequire(here.resolve(`${name}/package.json`));
    return [join(dirname(within.resolve(platform)), file), ...args];
  } catch {
    return undefined;
  }
}

/**
 * Creates every template in one folder, whose packages all of them use, and builds them by one
 * run of the compiler.
 *
 * @param project - Has `create-tenon` and the packages of Tenon installed.
 */
export async function buildTemplates(project: string): Promise<void> {
  const modules = join(project, "node_modules");
  await mkdir(join(modules, "@types"), { recursive: true });
  for (const name of ["typescript", "tsx", "esbuild", "@types/node", "@types/express"]) {
    const from = dirname(here.resolve(`${name}/package.json`));
    await symlink(from, join(modules, name)).catch(() => undefined);
  }
  for (const name of built) {
    const [choice = "", adapter] = name.split("-");
    const args = ["--template", choice, ...(adapter === undefined ? [] : ["--adapter", adapter]), "--yes"];
    await exec(process.execPath, [join(modules, "create-tenon/dist/bin.js"), name, ...args], {
      cwd: project,
    });
  }
  await writeFile(
    join(project, "tsconfig.json"),
    JSON.stringify({
      extends: "./stdio/tsconfig.json",
      compilerOptions: { rootDir: ".", outDir: "built", typeRoots: ["node_modules/@types"] },
      include: built.map((name) => `${name}/src`),
    }),
  );
  await exec(process.execPath, [join(modules, "typescript/bin/tsc"), "-p", "."], { cwd: project });
}

/** Type-checks and runs the tests of a template, as its script `test` does after the build. */
export async function testTemplate(project: string, name: string): Promise<string> {
  const folder = join(project, name);
  const { scripts } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
    readonly scripts: { readonly test: string };
  };
  const file = /\S+\.test\.ts$/.exec(scripts.test)?.[0] ?? "";
  const compiler = join(project, "node_modules/typescript/bin/tsc");
  await exec(process.execPath, [compiler, "-p", "test"], { cwd: folder });
  const { stdout } = await exec(process.execPath, ["--import", "tsx", "--test", file], { cwd: folder });
  return stdout;
}

/** What `tenon` prints. */
export async function tenon(project: string, args: readonly string[]): Promise<string> {
  const program = join(project, "node_modules/@tenon/cli/dist/bin.js");
  const { stdout } = await exec(process.execPath, [program, ...args], { cwd: project });
  return stdout;
}

/** Starts a server, and calls it while it runs. */
export async function whileServing(
  project: string,
  command: readonly string[],
  use: (url: string) => Promise<void>,
): Promise<number | null> {
  const [program = "", ...args] = command;
  const env = { ...process.env, PORT: "0", HOST: "127.0.0.1" };
  const child: ChildProcess = spawn(program, args, {
    cwd: project,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit") as Promise<[number | null]>;
  try {
    if (child.stdout === null) {
      throw new Error("There is no standard output.");
    }
    for await (const line of createInterface({ input: child.stdout })) {
      if (/^http:\S+\/mcp$/.test(line)) {
        child.stdout.resume();
        await use(line);
        break;
      }
    }
  } finally {
    child.kill("SIGTERM");
  }
  const [code] = await exited;
  return code;
}

/** The URL of a program that the bundler of Workers would make, and its `fetch`. */
export async function loadWorker(
  project: string,
): Promise<(request: Request, env: object) => Promise<Response>> {
  const file = join(project, "built/http-workers/src/main.js");
  const module = (await import(file)) as {
    readonly default: { fetch(request: Request, env: object): Promise<Response> };
  };
  return (request, env) => module.default.fetch(request, env);
}

/** The handlers of the route of Next.js. */
export async function loadRoute(project: string): Promise<(request: Request) => Promise<Response>> {
  const file = join(project, "built/http-next/src/app/mcp/route.js");
  const module = (await import(file)) as {
    readonly POST: (request: Request) => Promise<Response>;
  };
  return module.POST;
}
