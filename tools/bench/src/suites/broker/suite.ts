import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { startChild } from "../../child.ts";
import { formatBytes, formatCount, formatTime } from "../../format.ts";
import { concurrentLoop } from "../../loops/async.ts";
import { find, interleave, type Subject } from "../../runner.ts";
import type { Budget, Suite } from "../../suite.ts";
import { login } from "./logins.ts";

const candidate = "tenon";
const clients = 100_000;
const works = {
  guard: "guard, token of the broker verified before",
  logins: "whole logins over sockets, 8 at a time",
  flood: "10⁵ registrations that are accepted",
  limited: "10⁵ registrations at the default limit of 1,000",
} as const;
/** Most of each. A login takes at most 60 ms at 1,000 logins a minute. */
const limits = {
  guardNs: 10_000,
  loginNs: 60e6,
  failures: 0,
  registrationNs: 5e6,
  clientBytes: 2048,
  limitedBytes: 4_000_000,
  // The limit is per hour, and a flood takes a while.
  accepted: 1100,
} as const;

/** A provider that knows one user for each code, who agrees at once. */
async function startProvider(): Promise<AsyncDisposable & { readonly origin: string }> {
  let users = 0;
  const http = createServer(({ url = "" }, response) => {
    const asked = new URL(url, "http://127.0.0.1").searchParams;
    const back = asked.get("redirect_uri");
    if (back !== null) {
      response.writeHead(302, { location: `${back}?code=c&state=${asked.get("state")}` }).end();
      return;
    }
    const said = url === "/token" ? { access_token: "a", token_type: "Bearer" } : { id: `u${++users % 500}` };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(said));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => http.once("listening", resolve));
  return {
    origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]() {
      http.closeAllConnections();
      http.close();
      return Promise.resolve();
    },
  };
}

/** A broker under load: its guard, its logins, and a flood of registrations. */
export const broker: Suite = {
  name: "broker",
  description: "a broker: the guard, whole logins over sockets, and a flood of registrations",
  // Logins take long, and are held to what a machine must do in any case.
  async run({ rounds = 2, wants, log }) {
    await using provider = await startProvider();
    await using child = await startChild(new URL("server.ts", import.meta.url), { args: [provider.origin] });
    const { port } = await child.sample("port");
    const origin = `http://127.0.0.1:${port}`;
    let failures = 0;
    const logins = concurrentLoop(
      () =>
        login(origin).then(
          () => undefined,
          (error: unknown) => {
            failures++;
            log(String(error));
          },
        ),
      { calls: 500, concurrency: 8 },
    );
    const repeated: Subject[] = [
      { candidate, work: works.guard, sample: () => child.sample("guard") },
      {
        candidate,
        work: works.logins,
        async sample() {
          failures = 0;
          return { ...(await logins()), failures };
        },
      },
    ];
    const once: Subject[] = [
      { candidate, work: works.flood, sample: () => child.sample("flood") },
      { candidate, work: works.limited, sample: () => child.sample("flood at the limit") },
    ];
    const wanted = (subjects: readonly Subject[]): Subject[] => subjects.filter(({ work }) => wants(work));
    const measurements = [
      ...(await interleave(wanted(repeated), {
        rounds,
        onRound: (round, of) => log(`round ${round} of ${of}`),
      })),
      // What a flood leaves behind does not change, and it takes long.
      ...(await interleave(wanted(once), { rounds: 1, warmups: 0, onRound: () => log("flood") })),
    ];
    const budgets: Budget[] = [];
    const rows: string[][] = [];
    /** Shows a metric, and holds it to a limit. */
    const show = (
      work: string,
      metric: string,
      format: (value: number) => string,
      limit?: number,
      of = (value: number) => value,
    ): void => {
      const found = find(measurements, { candidate, work, metric });
      if (found !== undefined) {
        const actual = of(found.median);
        rows.push([`${work}, ${metric}`, format(actual)]);
        if (limit !== undefined) {
          budgets.push({ name: `${work}, ${metric}`, actual, limit });
        }
      }
    };
    show(works.guard, "cpuNs", formatTime, limits.guardNs);
    show(works.logins, "ns", formatTime, limits.loginNs);
    show(works.logins, "failures", formatCount, limits.failures);
    show(works.flood, "ns", formatTime, limits.registrationNs);
    show(works.flood, "accepted", formatCount);
    show(works.flood, "grownBytes", formatBytes, limits.clientBytes, (bytes) => bytes / clients);
    show(works.flood, "peakBytes", formatBytes);
    show(works.limited, "ns", formatTime);
    show(works.limited, "accepted", formatCount, limits.accepted);
    show(works.limited, "grownBytes", formatBytes, limits.limitedBytes);
    return {
      tables: [
        {
          title: "a broker; grownBytes of accepted registrations are for each",
          columns: ["", "found"],
          rows,
        },
      ],
      measurements,
      budgets,
      notes: [],
    };
  },
};
