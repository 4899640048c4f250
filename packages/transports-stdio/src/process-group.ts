import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

const groups = new Set<number>();
let isWatching = false;

/** The group of a process: itself and its descendants. */
export interface ProcessGroup {
  kill(signal: NodeJS.Signals): void;
  alive(): boolean;
}

/**
 * Handles a process and its descendants as one. On POSIX they share a process group led by `pid`;
 * on Windows the tree is ended by `taskkill`, which knows no gentle way.
 *
 * @param grouped - Whether `pid` leads a group of its own.
 */
export function processGroup(pid: number, grouped: boolean): ProcessGroup {
  const target = grouped ? -pid : pid;
  if (grouped) {
    watch(pid);
  }
  return {
    kill(signal) {
      if (process.platform === "win32") {
        execFile("taskkill", ["/pid", String(pid), "/t", "/f"], () => {});
      } else {
        send(target, signal);
      }
    },
    alive() {
      const alive = send(target, 0) && (!grouped || hasLiveMember(pid));
      if (!alive) {
        groups.delete(pid);
      }
      return alive;
    },
  };
}

function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch (error) {
    // EPERM: it lives, under another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/**
 * False if the group contains only zombies, which are dead processes without a parent that collects
 * them, as in a container without an init process. Detected on Linux only; elsewhere the result is
 * true.
 */
function hasLiveMember(group: number): boolean {
  if (process.platform !== "linux") {
    return true;
  }
  let names: readonly string[];
  try {
    names = readdirSync("/proc");
  } catch {
    return true;
  }
  return names.some((name) => /^\d+$/.test(name) && isLiveMember(name, group));
}

function isLiveMember(pid: string, group: number): boolean {
  let status: string;
  try {
    status = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return false;
  }
  // "pid (name) state parent group …", where the name may hold anything, brackets too.
  const [state, , memberOf] = status.slice(status.lastIndexOf(")") + 2).split(" ");
  return Number(memberOf) === group && state !== "Z" && state !== "X";
}

/**
 * A group of its own does not get the terminal's signals, so it must not outlive this process by
 * accident.
 */
function watch(pid: number): void {
  groups.add(pid);
  if (!isWatching) {
    isWatching = true;
    process.once("exit", () => {
      // The number of an ended group may belong to another group.
      for (const group of [...groups].filter(hasLiveMember)) {
        send(-group, "SIGTERM");
      }
    });
  }
}
