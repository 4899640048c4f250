import { readdirSync, readFileSync } from "node:fs";

/** What a process has used so far. */
export interface ProcessUsage {
  /** CPU time in user and kernel mode, in nanoseconds. */
  readonly cpuNs: number;
  /** Resident memory in bytes. */
  readonly rssBytes: number;
}

/** What this process has used. */
export function ownUsage(): ProcessUsage {
  const { user, system } = process.cpuUsage();
  return { cpuNs: (user + system) * 1000, rssBytes: process.memoryUsage.rss() };
}

/** Linux counts CPU time in ticks of 10 ms: sample long enough. */
const tickNs = 1e7;
const pageBytes = 4096;

/**
 * What another process has used, from `/proc`; `NaN` where there is none (outside Linux, or the
 * process has ended).
 */
export function usageOf(pid: number): ProcessUsage {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field, the program's name, may hold spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return {
      cpuNs: (Number(fields[11]) + Number(fields[12])) * tickNs,
      rssBytes: Number(fields[21]) * pageBytes,
    };
  } catch {
    return { cpuNs: Number.NaN, rssBytes: Number.NaN };
  }
}

/**
 * The CPU time of the running threads of another process in nanoseconds, without rounding to ticks:
 * for processes that run for a few milliseconds. `NaN` outside Linux.
 */
export function exactCpuOf(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.reduce((sum, thread) => {
      const [running] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ");
      return sum + Number(running);
    }, 0);
  } catch {
    return Number.NaN;
  }
}
