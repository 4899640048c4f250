import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const here = createRequire(import.meta.url);

/** A package manager besides npm, and how a project installs a package with it. */
export interface Manager {
  readonly name: string;
  /** The command line, without the names of the packages. */
  readonly add: readonly [program: string, ...args: string[]];
  /** Files that the project needs, by name. */
  files?(registry: string): Readonly<Record<string, string>>;
  /** The options of Node that programs of the project need. */
  readonly node?: readonly string[];
}

const yarn = [process.execPath, here.resolve("@yarnpkg/cli-dist/bin/yarn.js")] as const;

function yarnFiles(registry: string, linker: "node-modules" | "pnp"): Readonly<Record<string, string>> {
  const lines = [
    `npmRegistryServer: "${registry}"`,
    'unsafeHttpWhitelist: ["127.0.0.1"]',
    "enableTelemetry: false",
    "npmMinimalAgeGate: 0",
    `nodeLinker: ${linker}`,
    "enableGlobalCache: false",
  ];
  // An empty lock file tells Yarn that the project is not part of one in a folder above.
  return { ".yarnrc.yml": `${lines.join("\n")}\n`, "yarn.lock": "" };
}

/** The package managers that are tried. pnpm is not a dependency of the workspace. */
export const managers: readonly Manager[] = [
  { name: "pnpm", add: ["pnpm", "add", "--ignore-scripts", "--config.minimum-release-age=0"] },
  {
    name: "Yarn 1",
    add: [process.execPath, here.resolve("yarn-classic/bin/yarn.js"), "add", "--ignore-scripts"],
  },
  {
    name: "Yarn 4",
    add: [...yarn, "add", "--mode=skip-build"],
    files: (registry) => yarnFiles(registry, "node-modules"),
  },
  {
    name: "Yarn 4 with Plug'n'Play",
    add: [...yarn, "add", "--mode=skip-build"],
    files: (registry) => yarnFiles(registry, "pnp"),
    node: ["--require", "./.pnp.cjs", "--experimental-loader", "./.pnp.loader.mjs"],
  },
  { name: "bun", add: [findBun() ?? "bun", "add", "--ignore-scripts"] },
];

/** Whether a program starts. */
export function isThere(program: string): boolean {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0;
}

/** The program of bun, which its package starts by a script that is not run here. */
function findBun(): string | undefined {
  try {
    const within = createRequire(here.resolve("bun/package.json"));
    const { platform, arch } = process;
    const name = `@oven/bun-${platform}-${arch === "arm64" ? "aarch64" : arch}/package.json`;
    return join(dirname(within.resolve(name)), "bin/bun");
  } catch {
    return undefined;
  }
}
