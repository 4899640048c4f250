import { formatBytes } from "../../format.ts";
import { lastNumbersOf } from "../../history/history.ts";
import type { Measurement } from "../../runner.ts";
import type { Budget, Report, Suite } from "../../suite.ts";
import { entries, peers, type Entry } from "./entries.ts";
import { conditions, type bundlers as allBundlers, type Condition, type Size } from "./measure.ts";
import { packPackages, type Packed } from "./packed.ts";
import { rememberedBundlers } from "./remembered.ts";

const measurement = (candidate: string, work: string, metric: string, bytes: number): Measurement => ({
  candidate,
  work,
  metric,
  samples: [bytes],
  median: bytes,
  min: bytes,
});

/** How much larger an entry may become than it was in the last release. */
const growth = 1.25;
/** How many bytes any entry may grow by: a quarter of a tiny entry is less than a function. */
const minGrowth = 256;

const metrics = ["minified", "gzipped", "totalMinified", "totalGzipped"] as const;

/** What was found so far. */
interface Found {
  readonly bundlers: typeof allBundlers;
  readonly measurements: Measurement[];
  readonly budgets: Budget[];
  readonly notes: string[];
}

/** Bytes of what users bundle: the packages are packed and unpacked first. */
export const size: Suite = {
  name: "size",
  description: "bundled, minified and compressed bytes of programs and of every entry",
  async run({ wants, log }): Promise<Report> {
    log("packing");
    using packed = await packPackages();
    const { bundlers, save } = rememberedBundlers(packed.folder);
    const found: Found = { bundlers, measurements: [], budgets: [], notes: [] };
    const rows: string[][] = [];
    for (const entry of [...entries, ...peers].filter(({ name }) => wants(name))) {
      log(entry.name);
      rows.push(await programRow(entry, packed, found));
    }
    const exported: string[][] = [];
    for (const { specifier, isForNode } of packed.entries.filter((entry) => wants(entry.specifier))) {
      log(specifier);
      const sizes = await Promise.all(
        conditions.map(async (condition) =>
          isForNode && condition !== "node" ? undefined : sizeOfEntry(specifier, condition, packed, found),
        ),
      );
      exported.push([specifier, ...sizes.map((bytes) => (bytes === undefined ? "" : formatBytes(bytes)))]);
    }
    save();
    const { measurements, budgets, notes } = found;
    return {
      tables: [
        {
          title: "programs, gzip",
          columns: [
            "",
            ...Object.keys(bundlers).flatMap((name) => [name, "with what is loaded later"]),
            "goal",
          ],
          rows,
        },
        {
          title: "entries, gzip of all that they export, at start (rolldown)",
          columns: ["", ...conditions],
          rows: exported,
        },
      ],
      measurements,
      budgets,
      notes,
    };
  },
};

async function programRow(entry: Entry, { folder }: Packed, found: Found): Promise<string[]> {
  const { name, code, condition = "browser", atStart, inAll, always, later = [], beside } = entry;
  const cells: string[] = [];
  for (const [bundler, bundle] of Object.entries(found.bundlers)) {
    let size: Size;
    try {
      const whole = await bundle({ code, folder, condition, always });
      size = beside === undefined ? whole : without(whole, await bundle({ code: beside, folder, condition }));
    } catch (error) {
      found.notes.push(`${name}, ${bundler}: ${firstLine(error)}`);
      cells.push("–", "–");
      continue;
    }
    cells.push(formatBytes(size.gzipped), formatBytes(size.totalGzipped));
    found.measurements.push(
      ...metrics.map((metric) => measurement(name, `bundle by ${bundler}`, metric, size[metric])),
    );
    if (atStart !== undefined) {
      const what = `${name}, at start, by ${bundler}`;
      found.budgets.push({ name: what, actual: size.gzipped, limit: atStart.limit });
    }
    if (inAll !== undefined) {
      const what = `${name}, with what is loaded later, by ${bundler}`;
      found.budgets.push({ name: what, actual: size.totalGzipped, limit: inAll.limit });
    }
    for (const dependency of later) {
      const files = size.filesAtStart.filter((file) => file.includes(`/${dependency}/`));
      const what = `${name}, files of ${dependency} at start, by ${bundler}`;
      found.budgets.push({ name: what, actual: files.length, limit: 0 });
    }
  }
  return [name, ...cells, [atStart, inAll].flatMap((ceiling) => goalOf(ceiling)).join(" / ")];
}

/** How much larger one bundle is than another. */
function without(whole: Size, rest: Size): Size {
  return {
    ...whole,
    minified: whole.minified - rest.minified,
    gzipped: whole.gzipped - rest.gzipped,
    totalMinified: whole.totalMinified - rest.totalMinified,
    totalGzipped: whole.totalGzipped - rest.totalGzipped,
  };
}

function goalOf(ceiling: Entry["atStart"]): readonly string[] {
  return ceiling === undefined ? [] : [formatBytes(ceiling.goal ?? ceiling.limit)];
}

const last = lastNumbersOf("size");

async function sizeOfEntry(
  specifier: string,
  condition: Condition,
  { folder }: Packed,
  found: Found,
): Promise<number | undefined> {
  try {
    const code = `export * from "${specifier}";`;
    const { gzipped } = await found.bundlers.rolldown({ code, folder, condition });
    found.measurements.push(measurement(specifier, `entry for ${condition}`, "gzipped", gzipped));
    const name = `${specifier} for ${condition}`;
    const before = last[name] ?? Infinity;
    const limit = Math.round(Math.max(before * growth, before + minGrowth));
    found.budgets.push({ name, actual: gzipped, limit });
    return gzipped;
  } catch (error) {
    found.notes.push(`${specifier} for ${condition}: ${firstLine(error)}`);
    return undefined;
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
}
