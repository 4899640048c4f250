import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

import type { SavedCall, SavedCalls } from "../index.ts";

/**
 * Stored calls in a JSON file, for example `.tenon/calls.json` of a project. The file is created
 * with the first call that is stored.
 */
export function fileSavedCalls(path: string): SavedCalls {
  /** Two calls of `save` at a time could end in the other order. */
  let last: Promise<unknown> = Promise.resolve();

  async function write(calls: readonly SavedCall[]): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    // Another program never reads half of the file, and a planted link is not followed.
    const temporary = `${path}.${randomUUID()}.tmp`;
    try {
      const text = `${JSON.stringify(calls, undefined, 2)}\n`;
      await writeFile(temporary, text, { flag: "wx", mode: 0o600 });
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

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
    save(calls) {
      const saved = last.then(() => write(calls));
      last = saved.catch(() => {});
      return saved;
    },
  };
}

function isSavedCall(value: unknown): value is SavedCall {
  const { name, method, params } = (value ?? {}) as Record<string, unknown>;
  return (
    typeof name === "string" && typeof method === "string" && typeof params === "object" && params !== null
  );
}
