import type { ProcessLauncher } from "./launcher.ts";

/**
 * Starts processes with `node:child_process`: no shell, unmodified arguments, Windows scripts found
 * by their extension, and on POSIX a separate process group, so that the whole tree can be ended.
 *
 * When this process exits, those groups get `SIGTERM`. If an unhandled signal ends this process,
 * they get no signal, and Ctrl+C in a terminal does not reach them. Child processes that ignore the
 * end of their input then continue to run. If you start such commands, handle `SIGINT` and
 * `SIGTERM` and close the connections.
 */
export const nodeLauncher: ProcessLauncher = {
  async launch(request) {
    // A server on standard input and output starts no process, and should not wait for what starts
    // them.
    const { spawnProcess } = await import("./spawn.lazy.ts");
    return spawnProcess(request);
  },
};
