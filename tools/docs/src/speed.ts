import { readFileSync } from "node:fs";

/** A row of `tools/bench/speed.json`. */
interface Row {
  readonly what: string;
  readonly suite: string;
  readonly unit: "time" | "perSecond" | "bytes";
  readonly tenon: number;
  readonly official: number | null;
  readonly raw: number | null;
  readonly later: number | null;
}

const head = ["| | Tenon | official v2 | raw | suite |", "|---|---:|---:|---:|---|"];

/** The table "Speed" of README. @param file - The numbers, as `tools/bench` wrote them. */
export function speedTable(file: string): string {
  const rows = read(file).map(({ what, suite, unit, tenon, official, raw, later }) => {
    const own = `${written(unit, tenon)}${later === null ? "" : ` (${written(unit, later)})`}`;
    return `| ${what} | ${own} | ${written(unit, official)} | ${written(unit, raw)} | \`${suite}\` |`;
  });
  return [...head, ...rows].join("\n");
}

/** The line of README that names the three most important numbers. */
export function speedInShort(file: string): string {
  const rows = read(file);
  const pair = ({ unit, tenon, official }: Row): string =>
    `${written(unit, tenon)} (${written(unit, official)})`;
  return (
    `Measured, with the numbers of version 2.4 of the official SDK in parentheses: ${pair(rowOf(rows, "mcp-stdio"))} tool calls per second over stdio, ` +
    `${pair(rowOf(rows, "http-server"))} over HTTP, and a bundled stdio server of ${pair(rowOf(rows, "size"))}: see [Speed](#speed).`
  );
}

function read(file: string): readonly Row[] {
  return JSON.parse(readFileSync(file, "utf8")) as readonly Row[];
}

function rowOf(rows: readonly Row[], suite: string): Row {
  const row = rows.find((each) => each.suite === suite);
  if (row === undefined) {
    throw new Error(`The numbers have no row of ${suite}: run the suite with --speed.`);
  }
  return row;
}

/** A number with three significant digits, because no more of them are the same in the next run. */
function written(unit: Row["unit"], value: number | null): string {
  if (value === null) {
    return "–";
  }
  if (unit === "perSecond") {
    return Number(value.toPrecision(3)).toLocaleString("en");
  }
  if (unit === "bytes") {
    return `${Math.round(value / 1024)} KB`;
  }
  return value < 1e6 ? `${short(value / 1e3)} µs` : `${short(value / 1e6)} ms`;
}

function short(value: number): string {
  return value < 10 ? value.toFixed(1) : value.toFixed(0);
}
