import { watch, type FSWatcher } from "node:fs";
import { dirname, join } from "node:path";

import { moduleGraphOf } from "./module-graph.ts";

/** Changes within this time are one change, in milliseconds. */
const settleMs = 150;
/** Folders of one program that are watched. */
const maxFolders = 500;

/** Watched files. `close` waits for a call that is running. */
export interface FileWatch {
  close(): Promise<void>;
}

/** Calls a function after changes, one call at a time. */
function caller(onChange: () => Promise<void>): { changed(): void; close(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  return {
    changed() {
      clearTimeout(timer);
      timer = setTimeout(() => {
        running = running.then(onChange);
      }, settleMs);
    },
    close() {
      clearTimeout(timer);
      return running;
    },
  };
}

/** Whether a file can be part of the program. Files that a server writes, such as logs, are not. */
export function isSource(name: string): boolean {
  return (
    /(?:\.[cm]?[jt]sx?|^\.env|[\\/]\.env)$/.test(name) &&
    !/(?:^|[\\/])(?:node_modules|\.git)(?:[\\/]|$)/.test(name)
  );
}

/** Watches all sources of a folder. */
export function watchFolder(folder: string, onChange: () => Promise<void>): FileWatch {
  const { changed, close } = caller(onChange);
  const watcher = watch(folder, { recursive: true }, (_, name) => {
    if (name !== null && isSource(name)) {
      changed();
    }
  });
  return {
    close() {
      watcher.close();
      return close();
    },
  };
}

/** Watches the modules that a program imports. Its imports are read again after each change. */
export function watchModules(entry: string, onChange: () => Promise<void>): FileWatch {
  const watchers = new Map<string, FSWatcher>();
  let { files } = moduleGraphOf(entry);
  const { changed, close } = caller(async () => {
    await onChange();
    ({ files } = moduleGraphOf(entry));
    watchAll();
  });
  // Editors replace files, and a watched file that is replaced is lost: the folders are watched.
  function watchAll(): void {
    const folders = new Set([...files].map((file) => dirname(file)));
    for (const [folder, watcher] of watchers) {
      if (!folders.has(folder)) {
        watcher.close();
        watchers.delete(folder);
      }
    }
    for (const folder of folders) {
      if (watchers.has(folder) || watchers.size >= maxFolders) {
        continue;
      }
      try {
        const watcher = watch(folder, (_, name) => {
          if (name !== null && files.has(join(folder, name))) {
            changed();
          }
        });
        watcher.on("error", () => {
          watcher.close();
          watchers.delete(folder);
        });
        watchers.set(folder, watcher);
      } catch {
        // The folder of a module that does not exist.
      }
    }
  }
  watchAll();
  return {
    close() {
      for (const watcher of watchers.values()) {
        watcher.close();
      }
      return close();
    },
  };
}
