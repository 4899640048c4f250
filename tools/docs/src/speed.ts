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

/** The line of README that names the two most important numbers. */
export function speedInShort(file: string): string {
  const rows = read(file);
  const stdio = rowOf(rows, "mcp-stdio");
  const size = rowOf(rows, "size");
  const number = ({ unit }: Row, value: number | null): string => written(unit, value);
  return (
    `- **Fast and small.** ${number(stdio, stdio.tenon)} tool calls per second over stdio, against ${number(stdio, stdio.official)} with the official SDK on the same machine. ` +
    `A one-tool stdio server is ${number(size, size.tenon)} bundled and gzipped, against ${number(size, size.official)}: see [Speed](#speed).`
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
