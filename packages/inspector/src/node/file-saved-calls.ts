import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

import type { SavedCall, SavedCalls } from "../index.ts";

/**
 * Stored calls in a JSON file, for example `.tenon/calls.json` of a project. The file is created
 * with the first call that is stored.
 */
export function fileSavedCalls(path: string): SavedCalls {
  return {
    async load() {
      let text;
      try {
        text = await readFile(path, "utf8");
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") {
          return [];
        }
        throw error;
      }
      const calls: unknown = JSON.parse(text);
      if (!Array.isArray(calls)) {
        throw new TypeError(`Expected a list of calls in ${path}.`);
      }
      return calls.filter(isSavedCall);
    },
    async save(calls) {
      await mkdir(dirname(path), { recursive: true });
      // Another program never reads half of the file.
      await writeFile(`${path}.tmp`, `${JSON.stringify(calls, undefined, 2)}\n`);
      await rename(`${path}.tmp`, path);
    },
  };
}

function isSavedCall(value: unknown): value is SavedCall {
  const { name, method, params } = (value ?? {}) as Record<string, unknown>;
  return (
    typeof name === "string" && typeof method === "string" && typeof params === "object" && params !== null
  );
}
