import { isDeepStrictEqual } from "node:util";

import { isRecord } from "@tenon/base";

/** A property that an edit sets, or removes if the value is `undefined`. */
export interface Change {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/**
 * The smallest properties in which two values differ, so that an edit leaves the comments next to
 * all others alone. Lists are replaced as a whole.
 */
export function changesOf(path: Change["path"], before: unknown, after: unknown): readonly Change[] {
  if (isDeepStrictEqual(before, after)) {
    return [];
  }
  if (!isRecord(before) || !isRecord(after)) {
    return [{ path, value: after }];
  }
  return [
    ...Object.keys(before)
      .filter((key) => after[key] === undefined)
      .map((key) => ({ path: [...path, key], value: undefined })),
    ...Object.entries(after).flatMap(([key, value]) => changesOf([...path, key], before[key], value)),
  ];
}
