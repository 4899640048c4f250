import type { Metrics } from "../../../runner.ts";
import { quantile } from "../../../stats.ts";
import { usageOf } from "../../../usage.ts";
import { LoadConnection } from "./connection.ts";
import { callsOn, type CallText, type Mode } from "./requests.ts";

/** What a load is made of. */
export interface LoadOptions {
  readonly mode: Mode;
  /** Default 64. */
  readonly connections?: number | undefined;
  /**
   * How long new calls are begun, in milliseconds; each connection makes one at least. Default
   * 1000.
   */
  readonly windowMs?: number | undefined;
}

/** Throws unless an answer, JSON or an event stream, has the sum. */
function check(status: number, body: Buffer, sum: number): void {
  if (status !== 200 || !body.includes(`"structuredContent":{"sum":${sum}}`)) {
    throw new Error(`Expected the sum ${sum}, got ${status} ${body.toString("latin1", 0, 500)}`);
  }
}

/**
 * Keeps a number of connections busy with calls of the tool `add`, one at a time on each, each with
 * other numbers and with its answer checked. The generator knows sockets alone and is the same for
 * all servers.
 *
 * @returns `callsPerSecond`, `ns` of wall time per call, `p50Ns` and `p99Ns` of the single calls,
 *   `peerCpuNs` and `peerRssBytes` of the server.
 */
export async function load(
  { port, pid }: { readonly port: number; readonly pid: number },
  { mode, connections = 64, windowMs = 1000 }: LoadOptions,
): Promise<Metrics> {
  const open = await Promise.all(
    Array.from({ length: connections }, async (): Promise<[LoadConnection, CallText]> => {
      const connection = await LoadConnection.open(port);
      return [connection, await callsOn(connection, mode)];
    }),
  );
  const times: number[] = [];
  const before = usageOf(pid);
  const start = performance.now();
  const deadline = start + windowMs;
  await Promise.all(
    open.map(async ([connection, text], index) => {
      let a = index;
      do {
        const begun = performance.now();
        const { status, body } = await connection.send(text("add", { a, b: 2 }));
        times.push((performance.now() - begun) * 1e6);
        check(status, body, a + 2);
        a += connections;
      } while (performance.now() < deadline);
    }),
  );
  const ns = ((performance.now() - start) * 1e6) / times.length;
  const after = usageOf(pid);
  for (const [connection] of open) {
    connection.close();
  }
  return {
    ns,
    callsPerSecond: 1e9 / ns,
    p50Ns: quantile(times, 0.5),
    p99Ns: quantile(times, 0.99),
    peerCpuNs: (after.cpuNs - before.cpuNs) / times.length,
    peerRssBytes: after.rssBytes,
  };
}
