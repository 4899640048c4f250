import type { Progress, Summary } from "../wire/summary.ts";

/** How many tasks are remembered, and how many lines of each. */
const maxTasks = 500;
const maxLines = 200;

/** A task, by the messages about it. */
export interface SeenTask {
  readonly id: string;
  /** The server that runs it. */
  readonly server: string | undefined;
  /** The last state that the server named. */
  status: string | undefined;
  /** The lines about it, in order. */
  readonly lines: Summary[];
  /** The line with its result or its error. */
  outcome: number | undefined;
}

/** The tasks of a session. */
export interface SeenTasks {
  add(line: Summary): void;
  get(id: string, server: string): SeenTask | undefined;
  /** The task that a line is about. */
  of(line: Summary | undefined): SeenTask | undefined;
  /** All tasks, the newest first. */
  all(): readonly SeenTask[];
  clear(): void;
}

/** Whether a task has ended. */
export function isOver(status: string | undefined): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** The newest progress of a task. */
export function progressOfTask({ lines }: SeenTask): Progress | undefined {
  return lines.findLast(({ progress }) => progress !== undefined)?.progress;
}

/** Whether a line has the result of its task. In 2026-07-28 the last state has it. */
function carries({ method, kind, outcome, era, task }: Summary): boolean {
  if (method === "tasks/result") {
    return kind === "response";
  }
  const isState = (method === "tasks/get" && kind === "response") || method === "notifications/tasks";
  return isState && era === "modern" && outcome !== "error" && isOver(task?.status);
}

/** The key of the oldest task of the server that has the most tasks. */
function oldestOf(tasks: ReadonlyMap<string, SeenTask>): string {
  const sizes = new Map<string | undefined, number>();
  for (const { server } of tasks.values()) {
    sizes.set(server, (sizes.get(server) ?? 0) + 1);
  }
  const most = Math.max(...sizes.values());
  return [...tasks].find(([, { server }]) => sizes.get(server) === most)?.[0] ?? "";
}

/** Creates a table without tasks. */
export function createTasks(): SeenTasks {
  /** By their keys: servers may use the same IDs. */
  const tasks = new Map<string, SeenTask>();
  const keyOf = (id: string, server = ""): string => `${server} ${id}`;
  return {
    add(line) {
      const { task } = line;
      if (task === undefined) {
        return;
      }
      const key = keyOf(task.id, line.server);
      let seen = tasks.get(key);
      if (seen === undefined) {
        if (tasks.size >= maxTasks) {
          tasks.delete(oldestOf(tasks));
        }
        seen = { id: task.id, server: line.server, status: undefined, lines: [], outcome: undefined };
        tasks.set(key, seen);
      }
      // The response to an earlier request can arrive after the last state.
      if (task.status !== undefined && !isOver(seen.status)) {
        seen.status = task.status;
      }
      if (carries(line)) {
        seen.outcome = line.seq;
      }
      if (seen.lines.length >= maxLines) {
        seen.lines.splice(1, 1);
      }
      seen.lines.push(line);
    },
    get: (id, server) => tasks.get(keyOf(id, server)),
    of: (line) => (line?.task === undefined ? undefined : tasks.get(keyOf(line.task.id, line.server))),
    all: () => [...tasks.values()].toReversed(),
    clear: () => tasks.clear(),
  };
}
