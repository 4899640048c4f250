import { execFile, spawn } from "node:child_process";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** The suite does not start on older versions. */
const nodeForSuite = "22.23.3";
const clientProgram = fileURLToPath(new URL("../../dist/client.js", import.meta.url));
/** The published program, which the build has put into one file with what it imports. */
const program = fileURLToPath(new URL("../../dist/suite/dist/index.js", import.meta.url));
const timeoutMs = 60_000;

/** The official suite, ready to run. */
export interface Suite {
  /** What it prints about the scenarios that it has. */
  list(): Promise<string>;
  /** Runs scenarios against a server; the results are left in a folder. */
  server(url: string, selection: readonly string[], folder: string): Promise<void>;
  /**
   * Runs the scenarios of authorization servers.
   *
   * @param visit - Visits the page that the suite prints for a user.
   * @returns What failed as such.
   */
  authorization(
    selection: readonly string[],
    folder: string,
    visit: (url: string) => Promise<void>,
  ): Promise<readonly string[]>;
  /**
   * Runs scenarios of clients, each alone and in the strictest mode.
   *
   * @returns The names of those whose run failed.
   */
  clients(
    scenarios: readonly string[],
    revision: string,
    folder: string,
    parallel: number,
  ): Promise<readonly string[]>;
}

/**
 * Finds the suite, and a Node that it runs on: this one if it is new enough, otherwise the one of
 * the workspace, otherwise one from npm.
 */
export async function openSuite(): Promise<Suite> {
  const node = await findNode();

  async function run(args: readonly string[], folder: string): Promise<boolean> {
    await mkdir(folder, { recursive: true });
    const child = spawn(node, [program, ...args, "--timeout", String(timeoutMs), "-o", folder], {
      stdio: "ignore",
      // Only the first process compiles the five megabytes of the suite.
      env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "tenon-conformance-compiled") },
    });
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code) => resolve(code === 0));
    });
  }

  async function strict(scenario: string, revision: string, folder: string): Promise<boolean> {
    const own = join(folder, `run-${scenario.replaceAll("/", "_")}`);
    const command = `${process.execPath} ${clientProgram}`;
    const args = [
      "client",
      "--command",
      command,
      "--scenario",
      scenario,
      "--spec-version",
      revision,
      "--force",
    ];
    const passed = await run(args, own);
    await cp(own, folder, { recursive: true });
    await rm(own, { recursive: true, force: true });
    return passed;
  }

  return {
    list: async () => (await promisify(execFile)(node, [program, "list"])).stdout,
    async server(url, selection, folder) {
      await mkdir(folder, { recursive: true });
      const baseline = join(folder, "baseline.yml");
      await writeFile(baseline, "server: []\nclient: []\n");
      await run(["server", "--url", url, ...selection, "--expected-failures", baseline], folder);
    },
    async authorization(selection, folder, visit) {
      await mkdir(folder, { recursive: true });
      const child = spawn(node, [program, "authorization", ...selection, "-o", folder], {
        stdio: ["ignore", "pipe", "ignore"],
      });
      const late = setTimeout(() => child.kill(), timeoutMs);
      let [output, failed]: [string, string[]] = ["", []];
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        const [, page] = /^(http:\S+\/authorize\?\S+)\s/m.exec(output) ?? [];
        // Its port is open when it says so.
        if (page !== undefined && output.includes("Callback server started")) {
          output = "";
          visit(page).catch((error: unknown) => failed.push(String(error)));
        }
      });
      const code = await new Promise((resolve, reject) => {
        child.once("error", reject);
        child.once("close", resolve);
      });
      clearTimeout(late);
      return code === 0 ? failed : [...failed, `authorization ended with ${String(code)}`];
    },
    async clients(scenarios, revision, folder, parallel) {
      // The results of two scenarios are copied at one time: neither may have to make the folder.
      await mkdir(join(folder, "auth"), { recursive: true });
      const waiting = [...scenarios];
      const failed: string[] = [];
      const work = async (): Promise<void> => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          if (!(await strict(next, revision, folder))) {
            failed.push(next);
          }
        }
      };
      await Promise.all(Array.from({ length: parallel }, work));
      return failed;
    },
  };
}

async function findNode(): Promise<string> {
  if (Number(process.versions.node.split(".")[0]) >= 22) {
    return process.execPath;
  }
  const packaged = `node-22-${process.platform}-${process.arch}/package.json`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(packaged)), "bin/node");
  } catch {
    // The workspace has no package of Node for this platform.
  }
  const { stdout } = await promisify(execFile)(
    "npx",
    ["-y", "-p", `node@${nodeForSuite}`, "node", "-p", "process.execPath"],
    { shell: process.platform === "win32" },
  );
  return stdout.trim();
}
