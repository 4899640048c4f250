import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { rolldown } from "rolldown";
import { expect, test } from "vitest";

/** How often the process is killed. More of it by hand: `TENON_TASK_KILLS=200`. */
const kills = Number(process.env["TENON_TASK_KILLS"] ?? 4);
const tasks = 500;

/** Compiles the program so that plain Node can run it. */
async function compile(folder: string): Promise<string> {
  const file = join(folder, "worker.mjs");
  const build = await rolldown({
    input: fileURLToPath(new URL("fixtures/worker.ts", import.meta.url)),
    platform: "node",
    resolve: { conditionNames: ["@tenon/source", "node", "import"] },
    tsconfig: false,
  });
  await build.write({ file, format: "esm", codeSplitting: false });
  await build.close();
  return file;
}

/** Runs the program, kills it after so many events, and returns its exit code or signal. */
async function run(program: string, folder: string, killAfter: number): Promise<string> {
  const last = killAfter === Infinity ? "yes" : "no";
  const args = [program, join(folder, "tasks.log"), join(folder, "events"), String(tasks), last];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let events = 0;
  let errors = "";
  child.stdout.on("data", (bytes: Buffer) => {
    events += bytes.length;
    if (events >= killAfter) {
      child.kill("SIGKILL");
    }
  });
  child.stderr.on("data", (bytes: Buffer) => {
    errors += bytes.toString();
  });
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  return `${signal ?? code}${errors}`;
}

test(
  `a process with ${tasks} tasks is killed ${kills} times: no task is lost, unreadable or changed after its end, and no step in the journal runs again`,
  { timeout: 600_000 + kills * 3000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "killed-"));
    try {
      const program = await compile(folder);
      await writeFile(join(folder, "events"), "");
      for (let count = 0; count < kills; count++) {
        expect(await run(program, folder, 1 + Math.floor(Math.random() * 3000))).toBe("SIGKILL");
      }
      expect(await run(program, folder, Infinity)).toBe("0");

      const events = (await readFile(join(folder, "events"), "utf8")).trimEnd().split("\n");
      const idsOf = (event: string): string[] =>
        events.filter((line) => line.startsWith(`${event} `)).map((line) => line.split(" ")[1] ?? "");
      expect(events.filter((line) => /^(missing|changed) /.test(line))).toEqual([]);
      const created = idsOf("created");
      expect(created.length).toBeGreaterThanOrEqual(kills === 0 ? 0 : 1);
      expect(new Set(idsOf("ended"))).toEqual(new Set(created));
      const finished = new Set<string>();
      const again: string[] = [];
      for (const line of events) {
        const [event = "", id = "", name = ""] = line.split(" ");
        if (event === "stepped") {
          finished.add(`${id} ${name}`);
        } else if (event === "step" && finished.has(`${id} ${name}`)) {
          again.push(line);
        }
      }
      expect(again).toEqual([]);
      const wrong = events
        .filter((line) => line.startsWith("ended "))
        .filter((line) => {
          const [, id = ""] = line.split(" ");
          const result = [`before of ${id}`, `answer to ${id}`, `after of ${id}`];
          return line !== `ended ${id} completed:${JSON.stringify({ result })}`;
        });
      expect(wrong).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);
