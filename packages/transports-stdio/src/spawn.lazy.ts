import spawn from "cross-spawn";

import type { ExitStatus, LaunchedProcess, LaunchRequest } from "./launcher.ts";
import { processGroup } from "./process-group.ts";

/** Starts a process; resolves when it runs. @throws Why it could not be started. */
export function spawnProcess({ command, args, cwd, env, stderr }: LaunchRequest): Promise<LaunchedProcess> {
  const grouped = process.platform !== "win32";
  const child = spawn(command, [...args], {
    cwd,
    env: { ...env },
    stdio: ["pipe", "pipe", stderr],
    detached: grouped,
    windowsHide: true,
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("spawn", () => {
      const { pid, stdin, stdout } = child;
      if (stdin === null || stdout === null || pid === undefined) {
        reject(new Error("The process was started without pipes."));
        return;
      }
      child.off("error", reject);
      // A signal that cannot be delivered does not matter. Only the exit counts.
      child.on("error", () => {});
      const group = processGroup(pid, grouped);
      const exited = new Promise<ExitStatus>((done) => {
        child.once("exit", (code, signal) => {
          // Its number may soon be that of another group, which is not to be ended with this
          // process.
          group.alive();
          done({ code, signal });
        });
      });
      resolve({ pid, stdin, stdout, stderr: child.stderr ?? undefined, exited, ...group });
    });
  });
}
