import type { Summary } from "../wire/summary.ts";
import { clearings, lines, version } from "./store.ts";

/** How many lines of a kind are kept. */
const most = 300;

/** The newest lines of a kind. */
export interface Collector {
  /** The lines, the newest first, at most 300. Reading them follows the lines. */
  readonly items: readonly Summary[];
}

/** Collects the lines that match. Each line is compared once. */
export function createCollector(matches: (line: Summary) => boolean): Collector {
  /** The number of the last line that was compared. */
  let seen = 0;
  let cleared = 0;
  let found: Summary[] = [];
  return {
    get items() {
      if (cleared !== clearings.value) {
        cleared = clearings.value;
        seen = 0;
        found = [];
      }
      const last = version.value < 0 ? -1 : lines.length - 1;
      // Older lines would be dropped again.
      const added: Summary[] = [];
      for (let index = last; added.length < most; index--) {
        const line = lines[index];
        if (line === undefined || line.seq <= seen) {
          break;
        }
        if (matches(line)) {
          added.push(line);
        }
      }
      seen = lines.at(-1)?.seq ?? seen;
      found = added.length === 0 ? found : [...added, ...found].slice(0, most);
      return found;
    },
  };
}
