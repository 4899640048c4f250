import type { Output } from "../shell.ts";
import { visibleLine } from "./escape.ts";
import { cutTo } from "./width.ts";

/** A line of a terminal that shows the latest progress. */
export interface ProgressLine {
  show(text: string): void;
  clear(): void;
  /** As `clear`. Without progress it ends the line that has the keys of the user, such as `^C`. */
  leave(): void;
}

/** The progress line of a terminal. Any other output gets none. */
export function createProgressLine(output: Output): ProgressLine {
  if (output.isTTY !== true) {
    return { show: () => {}, clear: () => {}, leave: () => {} };
  }
  let isShown = false;
  const clear = (): void => {
    if (isShown) {
      output.write("\r\u001b[K");
      isShown = false;
    }
  };
  return {
    show(text) {
      // A terminal of unknown size has 0 columns.
      output.write(`\r\u001b[K${cutTo(visibleLine(text), (output.columns || 80) - 1)}`);
      isShown = true;
    },
    clear,
    leave() {
      if (isShown) {
        clear();
      } else {
        output.write("\n");
      }
    },
  };
}
