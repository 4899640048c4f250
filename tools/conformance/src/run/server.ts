import { spawn } from "node:child_process";
import { createServer, type AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

/** The everything-server in a process of its own. */
export interface RunningServer {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts it on a free port; resolves when it listens.
 *
 * @param env - Further variables.
 * @param name - The program.
 */
export async function startServer(
  env: Readonly<Record<string, string>> = {},
  name: "server" | "broker" = "server",
): Promise<RunningServer> {
  const program = fileURLToPath(new URL(`../../dist/${name}.js`, import.meta.url));
  const port = await freePort();
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let output = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (chunk: Buffer) => {
      output = `${output}${chunk.toString()}`.slice(-10_000);
      if (output.includes("listening on")) {
        resolve();
      }
    });
    child.once("exit", (code) => reject(new Error(`The server ended with code ${code}: ${output}`)));
    child.once("error", reject);
  });
  return {
    url: `http://localhost:${port}/mcp`,
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", () => resolve());
        child.kill();
      }),
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "localhost", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
