import type { Invocation } from "../command/invocation.ts";
import { visibleLine } from "../output/escape.ts";
import { openSession } from "../session/open.ts";

/** Measures the time of a request that does nothing. */
export async function run(invocation: Invocation): Promise<undefined> {
  const { flags, printer } = invocation;
  const count = flags.integer("count", 1) ?? 1;
  await using opened = await openSession(invocation);
  const { signal } = opened;
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const start = performance.now();
    await opened.session.ping(undefined, { signal });
    times.push(Math.round((performance.now() - start) * 100) / 100);
  }
  const { revision, serverInfo } = opened.session;
  printer.result({ ms: times, revision, serverInfo }, () =>
    times
      .map((ms) => `${visibleLine(serverInfo?.name ?? opened.target.label)} responded in ${ms} ms`)
      .join("\n"),
  );
}
