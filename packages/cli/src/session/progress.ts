import type { ProgressNotificationParams } from "@tenon/protocol";

import { visibleLine } from "../output/escape.ts";
import type { Printer } from "../output/printer.ts";

/** The time between two lines without a terminal, and before the first line, in milliseconds. */
const intervalMs = 1000;

/**
 * Shows the progress of a request: in the progress line of a terminal, otherwise as lines, so that
 * logs of long calls have it. A short call prints no line.
 *
 * @param now - The time in milliseconds.
 */
export function showProgress(
  printer: Pick<Printer, "hasProgressLine" | "note" | "progress">,
  what: string,
  now: () => number = () => performance.now(),
): (progress: ProgressNotificationParams) => void {
  let printed = now();
  return ({ progress, total, message }) => {
    const share = total === undefined || total <= 0 ? "" : ` ${Math.round((progress / total) * 100)} %`;
    const count = total === undefined ? String(progress) : `${progress}/${total}`;
    const text = `${what} ${count}${share}${message === undefined ? "" : ` ${message}`}`;
    if (printer.hasProgressLine) {
      printer.progress(text);
    } else if (now() - printed >= intervalMs) {
      printed = now();
      printer.note(visibleLine(text).slice(0, maxLine));
    }
  };
}

/** The characters of a line. A server may send any text. */
const maxLine = 500;
