import type { Summary } from "../wire/summary.ts";

/** How many lines are kept of one request. */
const most = 100;

/** The lines that belong to a request: its notifications, its response and its further rounds. */
export interface Belonging {
  add(line: Summary): void;
  /** At most 100 lines, in order; the response and the newest notification are among them. */
  of(request: number): readonly Summary[];
  /** Forgets the lines of a request. */
  drop(request: number): void;
  clear(): void;
}

/** Creates an index without lines. */
export function createBelonging(): Belonging {
  const all = new Map<number, Summary[]>();
  return {
    add(line) {
      const { request, continues } = line;
      for (const owner of [request, continues]) {
        if (owner !== undefined) {
          const own = all.get(owner);
          if (own === undefined) {
            all.set(owner, [line]);
          } else if (own.length < most) {
            own.push(line);
          } else {
            own[most - 1] = line;
          }
        }
      }
    },
    of: (request) => all.get(request) ?? [],
    drop: (request) => void all.delete(request),
    clear: () => all.clear(),
  };
}
