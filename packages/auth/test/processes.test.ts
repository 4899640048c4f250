import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { rolldown } from "rolldown";
import { expect, test } from "vitest";

import { authorizationCode, createOAuth } from "../src/client.ts";
import { fileStore } from "../src/node/index.ts";
import { temporaryDirectory } from "./folder.ts";
import { serve } from "./served.ts";

/** How often the tokens are refreshed. More of it by hand: `TENON_AUTH_REFRESHES=1000`. */
const refreshes = Number(process.env["TENON_AUTH_REFRESHES"] ?? 40);
const processes = 8;
/** How many requests each process sends at a time. */
const parallel = 2;

/** Compiles a program so that plain Node can run it. */
async function compile(folder: string, name: string): Promise<string> {
  const file = join(folder, `${name}.mjs`);
  const build = await rolldown({
    input: fileURLToPath(new URL(`fixtures/${name}.ts`, import.meta.url)),
    platform: "node",
    resolve: { conditionNames: ["@tenon/source", "node", "import"] },
    tsconfig: false,
  });
  await build.write({ file, format: "esm", codeSplitting: false });
  await build.close();
  return file;
}

test(
  `A-033, A-034: ${processes} processes share a login through ${refreshes} refreshes, and none loses it`,
  { timeout: 600_000 + refreshes * 2000 },
  async () => {
    await using folder = await temporaryDirectory();
    const directory = join(folder.path, "store");
    const program = await compile(folder.path, "busy-client");
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const served = new Set<unknown>();
    await using servers = await serve({ expiresIn: 0 }, ({ headers }) => {
      served.add(headers["x-client"]);
      if (servers.tokens.presented.size >= refreshes) {
        finish();
      } else if (served.size === processes * parallel) {
        // All of them find out at the same time. Nobody has to wait for a second refresh: a request
        // is sent again a few times only.
        served.clear();
        servers.tokens.expireAll();
      }
    });
    // The processes wait for responses, and not for the processor.
    servers.script.always("mcp", { delayMs: 30 });
    await using first = createOAuth({
      server: servers.server,
      grant: authorizationCode(servers.browser()),
      store: fileStore({ directory, protection: "file" }),
    });
    const { status } = await servers.call(undefined);
    expect(status).toBe(401);
    await first.login();

    const errors: string[] = [];
    const children: ChildProcess[] = Array.from({ length: processes }, (_, index) => {
      const names = Array.from({ length: parallel }, (__, own) => `${index}.${own}`);
      const child = spawn(process.execPath, [program, servers.server, directory, ...names], {
        stdio: ["pipe", "ignore", "pipe"],
      });
      child.stderr.on("data", (text: Buffer) => errors.push(text.toString()));
      child.once("exit", (code) => code !== 0 && finish());
      return child;
    });
    try {
      await finished;
      const exits = children.map(async (child) => {
        const exited = once(child, "exit");
        child.stdin?.end();
        return (await exited)[0] as unknown;
      });
      expect(errors).toEqual([]);
      expect(await Promise.all(exits)).toEqual(children.map(() => 0));
      expect(servers.tokens.reuses).toBe(0);
      // One registration, one login, and each refresh token presented once.
      expect(servers.of("register")).toHaveLength(1);
      expect(servers.of("authorize")).toHaveLength(1);
      expect(new Set(servers.tokens.presented.values())).toEqual(new Set([1]));
      expect(servers.tokens.presented.size).toBeGreaterThanOrEqual(refreshes);
    } finally {
      children.forEach((child) => child.kill("SIGKILL"));
    }
  },
);

test.each(["", "data"])(
  "credentials are kept in the home of the user, not in the current directory, if the directory of the environment is %j",
  async (data) => {
    await using folder = await temporaryDirectory();
    const [home, project] = [join(folder.path, "home"), join(folder.path, "project")];
    await Promise.all([mkdir(home), mkdir(project)]);
    const program = await compile(folder.path, "default-store");
    const child = spawn(process.execPath, [program], {
      cwd: project,
      env: { ...process.env, HOME: home, USERPROFILE: home, XDG_DATA_HOME: data, LOCALAPPDATA: data },
      stdio: "inherit",
    });
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(await readdir(project)).toEqual([]);
    const kept = await readdir(home, { recursive: true });
    expect(kept.filter((path) => path.includes(join("tenon", "auth", "/")))).toHaveLength(1);
  },
);
