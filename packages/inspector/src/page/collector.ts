import type { Summary } from "../wire/summary.ts";
import { server } from "./servers.ts";
import { clearings, isOfServer, lines, version } from "./store.ts";

/** How many lines of a kind are kept. */
const most = 300;

/** The newest lines of a kind, of the server that the page shows. */
export interface Collector {
  /** The lines, the newest first, at most 300. Reading them follows the lines. */
  readonly items: readonly Summary[];
}

/** Collects the lines that match. Each line is compared once. */
export function createCollector(matches: (line: Summary) => boolean): Collector {
  /** The number of the last line that was compared. */
  let seen = 0;
  let cleared = 0;
  let shownServer = "";
  let found: Summary[] = [];
  return {
    get items() {
      if (cleared !== clearings.value || shownServer !== server.value) {
        cleared = clearings.value;
        shownServer = server.value;
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
        if (isOfServer(line) && matches(line)) {
          added.push(line);
        }
      }
      seen = lines.at(-1)?.seq ?? seen;
      found = added.length === 0 ? found : [...added, ...found].slice(0, most);
      return found;
    },
  };
}
