import { spawn } from "node:child_process";

/** The run of a module that detects whether it reads standard input. */
export interface ReadsInputOptions {
  /** Arguments of Node, such as those that load TypeScript. */
  readonly nodeArgs?: readonly string[] | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** Time that a module may take to load, in milliseconds. */
const loadMs = 30_000;
/** Maximum time from the end of loading a module to its first read, in milliseconds. */
const settleMs = 1000;

/**
 * Runs before the module. Reports the first listener of standard input, and the end of loading. Its
 * import joins the import that Node has begun.
 */
const observer = `
const tell = (what) => { if (process.connected) process.send(what); };
process.stdin.on("newListener", (event) => {
  if (event === "data" || event === "readable") tell("reads");
});
const { pathToFileURL } = await import("node:url");
setImmediate(() => import(pathToFileURL(process.argv[1]).href).then(() => tell("loaded"), () => {}));
`;

/**
 * Runs a module as a program and returns whether it reads standard input, as a server does that
 * serves by itself. The source of a module cannot tell: it may only mention a transport, or another
 * module may connect it.
 */
export function readsInput(
  path: string,
  { nodeArgs = [], env, cwd, signal }: ReadsInputOptions,
): Promise<boolean> {
  const preload = ["--import", `data:text/javascript,${encodeURIComponent(observer)}`];
  const child = spawn(process.execPath, [...nodeArgs, ...preload, path], {
    env,
    cwd,
    stdio: ["pipe", "ignore", "ignore", "ipc"],
  });
  return new Promise<boolean>((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    let timer = setTimeout(() => resolve(false), loadMs);
    signal.addEventListener("abort", abort, { once: true });
    child.on("message", (what) => {
      if (what === "reads") {
        resolve(true);
      } else if (what === "loaded") {
        clearTimeout(timer);
        timer = setTimeout(() => resolve(false), settleMs);
      }
    });
    child.once("error", reject);
    child.once("exit", () => resolve(false));
    child.once("close", () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    });
    if (signal.aborted) {
      abort();
    }
  }).finally(() => child.kill("SIGKILL"));
}
