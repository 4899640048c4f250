import { formatBytes, formatTime } from "../../format.ts";
import { find, interleave, type Measurement } from "../../runner.ts";
import type { Suite } from "../../suite.ts";
import { installedFiles, sizesOfPackages } from "./installed.ts";
import { bareNode, starts, startWork } from "./start.ts";
import { messagesOfExchange, tapSubjects, tapWorks } from "./tap.ts";

/** The page of the inspector, whose size has a limit of its own. */
const pageFile = /(?:^|\/)page[^/]*\.js$/;

const milliseconds = 1e6;
const megabyte = 1_000_000;

/** The command line: its start, what a tap costs, and the size of its installation. */
export const cli: Suite = {
  name: "cli",
  description: "start of the command line, time that a tap adds to a message, size of the installation",
  async run({ rounds, wants, log }) {
    const onRound = (round: number, of: number): void => log(`round ${round} of ${of}`);
    const started = await interleave(
      starts.filter(({ candidate }) => candidate === bareNode || wants(candidate)),
      { rounds: rounds ?? 15, onRound },
    );
    const { subjects, end } = await tapSubjects();
    let tapped: readonly Measurement[];
    try {
      tapped = await interleave(subjects, { rounds: rounds ?? 7, onRound });
    } finally {
      await end();
    }
    log("installing");
    const files = await installedFiles();
    const sum = (list: readonly { readonly bytes: number }[]): number =>
      list.reduce((total, { bytes }) => total + bytes, 0);
    const withoutPage = sum(files.filter(({ path }) => !pageFile.test(path)));

    const medianOf = (candidate: string, work: string): number =>
      find([...started, ...tapped], { candidate, work, metric: "ns" })?.median ?? Number.NaN;
    const overNode = (candidate: string): number =>
      medianOf(candidate, startWork) - medianOf(bareNode, startWork);
    const added = (work: string): number =>
      (medianOf("tap", work) - medianOf("direct", work)) / messagesOfExchange;
    return {
      tables: [
        {
          title: startWork,
          columns: ["", "time", "over bare Node"],
          rows: started.map(({ candidate, median }) => [
            candidate,
            formatTime(median),
            formatTime(overNode(candidate)),
          ]),
        },
        {
          title: "tap",
          columns: ["", "direct", "with a tap", "added to a message"],
          rows: Object.values(tapWorks).map((work) => [
            work,
            formatTime(medianOf("direct", work)),
            formatTime(medianOf("tap", work)),
            formatTime(added(work)),
          ]),
        },
        {
          title: "installation",
          columns: ["", "size"],
          rows: [
            ["everything", formatBytes(sum(files))],
            ["without the page of the inspector", formatBytes(withoutPage)],
            ...sizesOfPackages(files).map(([name, bytes]) => [name, formatBytes(bytes)]),
            ...files.slice(0, 8).map(({ path, bytes }) => [path, formatBytes(bytes)]),
          ],
        },
      ],
      measurements: [...started, ...tapped],
      budgets: [
        {
          name: "tenon --help, ms over bare Node",
          actual: overNode("tenon --help") / milliseconds,
          limit: 60,
        },
        ...Object.values(tapWorks).map((work) => ({
          name: `tap, ${work}, ms added to a message`,
          actual: added(work) / milliseconds,
          limit: 0.2,
        })),
        {
          name: "installation without the page of the inspector, MB",
          actual: withoutPage / megabyte,
          limit: 3,
        },
        { name: "installation, MB", actual: sum(files) / megabyte, limit: 5 },
      ],
      notes: [],
    };
  },
};
