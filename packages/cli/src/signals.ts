import { exitCodes } from "./exit.ts";
import { Interrupted } from "./shell.ts";

/** The functions of `process` that report and end it. */
export interface Interruptible {
  on(signal: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  exit(code: number): never;
}

/**
 * The first `SIGINT` or `SIGTERM` aborts the signal, which cancels the request at the server. The
 * second signal ends the process.
 */
export function interruptSignal(host: Interruptible): AbortSignal {
  const controller = new AbortController();
  const interrupt = (): void => {
    if (controller.signal.aborted) {
      host.exit(exitCodes.interrupted);
    }
    controller.abort(new Interrupted());
  };
  host.on("SIGINT", interrupt);
  host.on("SIGTERM", interrupt);
  return controller.signal;
}
