import type { ProgressNotificationParams } from "@tenon/protocol";

import type { Printer } from "../output/printer.ts";

/** Shows the progress of a request in the progress line of a terminal. */
export function showProgress(printer: Printer, what: string): (progress: ProgressNotificationParams) => void {
  return ({ progress, total, message }) => {
    const share = total === undefined || total <= 0 ? "" : ` ${Math.round((progress / total) * 100)} %`;
    const count = total === undefined ? String(progress) : `${progress}/${total}`;
    printer.progress(`${what} ${count}${share}${message === undefined ? "" : ` ${message}`}`);
  };
}
