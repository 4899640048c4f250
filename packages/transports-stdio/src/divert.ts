/**
 * Sends what user code writes to `process.stdout` (a stray `console.log`) to `process.stderr`,
 * because nothing but messages may go to the standard output of a server.
 *
 * @returns The way to the real standard output, and the way back.
 * @source R-252
 */
export function divertStdout(): { write: typeof process.stdout.write; restore(): void } {
  const { stdout, stderr } = process;
  const before = Object.getOwnPropertyDescriptor(stdout, "write");
  const write = stdout.write.bind(stdout);
  const diverted = stderr.write.bind(stderr);
  stdout.write = diverted;
  return {
    write,
    restore() {
      // Code that replaced the function later must restore it.
      if (Object.getOwnPropertyDescriptor(stdout, "write")?.value !== diverted) {
        return;
      }
      if (before === undefined) {
        Reflect.deleteProperty(stdout, "write");
      } else {
        Object.defineProperty(stdout, "write", before);
      }
    },
  };
}
