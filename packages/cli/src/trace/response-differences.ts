/** One difference between two responses. */
export interface ResponseDifference {
  /** A JSON pointer into the response, such as `/tools/0/description`. */
  readonly path: string;
  /** Absent if only the response of now has the value. */
  readonly before?: unknown;
  /** Absent if only the recorded response has the value. */
  readonly after?: unknown;
}

/** Properties that differ from run to run. */
const volatileNames = new Set(["_meta", "cacheScope", "nextCursor", "resultType", "ttlMs"]);
/** Maximum depth of a comparison by properties. Deeper values are compared as a whole. */
const maxDepth = 64;
/** Maximum number of differences of one response that are listed. */
const maxDifferences = 5;

/**
 * Lists the first five differences between two responses. The order of properties, and
 * properties that differ from run to run, do not matter.
 */
export function differencesOf(before: unknown, after: unknown): readonly ResponseDifference[] {
  const found: ResponseDifference[] = [];
  compare(before, after, "", 0, found);
  return found;
}

function compare(
  before: unknown,
  after: unknown,
  path: string,
  depth: number,
  found: ResponseDifference[],
): void {
  if (found.length >= maxDifferences || before === after) {
    return;
  }
  const [old, now] = [propertiesOf(before), propertiesOf(after)];
  if (
    old === undefined ||
    now === undefined ||
    Array.isArray(before) !== Array.isArray(after) ||
    depth >= maxDepth
  ) {
    if (JSON.stringify(before) !== JSON.stringify(after)) {
      found.push({
        path,
        ...(before === undefined ? {} : { before }),
        ...(after === undefined ? {} : { after }),
      });
    }
    return;
  }
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const pointer = `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    compare(old.get(name), now.get(name), pointer, depth + 1, found);
  }
}

/** The properties of an object or the items of an array, without {@link volatileNames}. */
function propertiesOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  return typeof value === "object" && value !== null
    ? new Map(Object.entries(value).filter(([name]) => !volatileNames.has(name)))
    : undefined;
}

/** A difference in one line: its path, the recorded value and the value of now. */
export function differenceText({ path, before, after }: ResponseDifference): string {
  return `${path === "" ? "/" : path}: ${shortJson(before)} → ${shortJson(after)}`;
}

function shortJson(value: unknown): string {
  const text = JSON.stringify(value) ?? "absent";
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
