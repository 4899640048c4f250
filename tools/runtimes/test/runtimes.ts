import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const { arch, platform } = process;
const here = createRequire(import.meta.url);

/** A runtime that may be installed here, from a package of its platform. */
export interface Runtime {
  readonly name: string;
  /** The binary; `undefined` where its makers publish none for this platform. */
  readonly binary: string | undefined;
  /** The arguments that run a program. */
  args(program: string): readonly string[];
  /** The program that serves the features. */
  readonly server: string;
}

function node(major: number): Runtime {
  return {
    name: `Node ${major}`,
    binary: find(here, `node-${major}-${platform}-${arch}/package.json`, "bin/node"),
    args: (program) => [program],
    server: "server-node.mjs",
  };
}

const bun = `@oven/bun-${platform === "win32" ? "windows" : platform}-${arch === "arm64" ? "aarch64" : arch}`;
const bunFile = platform === "win32" ? "bin/bun.exe" : "bin/bun";

/** What runs programs of its own accord; workerd does not. */
export const runtimes: readonly Runtime[] = [
  node(20),
  node(22),
  node(24),
  node(26),
  {
    name: "Bun",
    binary:
      find(within("bun"), `${bun}/package.json`, bunFile) ??
      find(within("bun"), `${bun}-musl/package.json`, bunFile),
    args: (program) => [program],
    server: "server-bun.mjs",
  },
  {
    name: "Deno",
    binary: find(
      within("deno"),
      `@deno/${platform}-${arch}${platform === "linux" ? "-glibc" : ""}/package.json`,
      platform === "win32" ? "deno.exe" : "deno",
    ),
    args: (program) => ["run", "--allow-all", "--no-lock", program],
    server: "server-deno.mjs",
  },
];

/** The binary of workerd, the runtime of Cloudflare Workers. */
export const workerd: string | undefined = find(
  within("workerd"),
  `@cloudflare/workerd-${platform === "win32" ? "windows" : platform}-${arch === "x64" ? "64" : arch}/package.json`,
  platform === "win32" ? "bin/workerd.exe" : "bin/workerd",
);

/** Resolves as a package does that is installed here. */
function within(name: string): NodeJS.Require | undefined {
  try {
    return createRequire(here.resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}

function find(require: NodeJS.Require | undefined, manifest: string, binary: string): string | undefined {
  try {
    return require === undefined ? undefined : join(dirname(require.resolve(manifest)), binary);
  } catch {
    return undefined;
  }
}
