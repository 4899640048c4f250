import { statSync, watch, type FSWatcher } from "node:fs";
import { basename, dirname, join, sep } from "node:path";

import { moduleGraphOf } from "./module-graph.ts";

/** Changes within this time are one change, in milliseconds. */
const settleMs = 150;
/** Folders of one program that are watched. */
const maxFolders = 500;
/** Attempts to watch folders that are written at the same time. */
const maxAttempts = 5;

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

/** A folder that is watched. */
interface WatchedFolder {
  readonly watcher: FSWatcher;
  /** Another folder at the same path has another identity. */
  readonly identity: string;
}

/**
 * Watches the modules that a program imports. Its imports are read again after each change, before
 * the function is called. Folders may be removed and written again, as builds do.
 */
export function watchModules(entry: string, onChange: () => Promise<void>): FileWatch {
  const watched = new Map<string, WatchedFolder>();
  /** Folders of modules that do not exist. The folder above is watched instead. */
  let missing: readonly string[] = [];
  let { files } = moduleGraphOf(entry);
  const { changed, close } = caller(() => {
    ({ files } = moduleGraphOf(entry));
    watchAll();
    return onChange();
  });

  function unwatch(folder: string): void {
    watched.get(folder)?.watcher.close();
    watched.delete(folder);
  }

  function onEvent(folder: string, name: string | null): void {
    const path = name === null ? folder : join(folder, name);
    const isItself = name === null || name === basename(folder);
    const isAbove = missing.some((each) => each === path || each.startsWith(path + sep));
    if (isItself || isAbove) {
      if (isItself && !files.has(path)) {
        // A new folder may have the identity of the old folder.
        unwatch(folder);
      }
      watchAll();
      changed();
    } else if (files.has(path)) {
      changed();
    }
  }

  function watchOne(folder: string, identity: string): void {
    try {
      const watcher = watch(folder, (_, name) => onEvent(folder, name));
      watcher.on("error", () => {
        unwatch(folder);
        if (identityOf(folder) === undefined) {
          watchAll();
        }
      });
      watched.set(folder, { watcher, identity });
    } catch {
      // The folder has just been removed, or the system has no room for another watch.
    }
  }

  // Editors replace files, and a watched file that is replaced is lost: the folders are watched.
  function watchAll(): void {
    const folders = [...new Set([...files].map((file) => dirname(file)))];
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      missing = folders.filter((folder) => identityOf(folder) === undefined);
      const existing = new Set(folders.map((folder) => existingOf(folder)));
      for (const [folder, { identity }] of watched) {
        if (!existing.has(folder) || identity !== identityOf(folder)) {
          unwatch(folder);
        }
      }
      for (const folder of existing) {
        const identity = identityOf(folder);
        if (identity !== undefined && !watched.has(folder) && watched.size < maxFolders) {
          watchOne(folder, identity);
        }
      }
      // A folder may have been written before the folder above it was watched.
      if (missing.every((folder) => existing.has(existingOf(folder)))) {
        return;
      }
    }
  }
  watchAll();
  return {
    close() {
      const closed = close();
      [...watched.keys()].forEach(unwatch);
      return closed.finally(() => [...watched.keys()].forEach(unwatch));
    },
  };
}

/** Distinguishes a folder from others that were at its path before. */
function identityOf(folder: string): string | undefined {
  try {
    const found = statSync(folder, { throwIfNoEntry: false });
    return found?.isDirectory() === true ? `${found.dev} ${found.ino} ${found.birthtimeMs}` : undefined;
  } catch {
    return undefined;
  }
}

/** The folder, or the nearest one above it that exists. */
function existingOf(folder: string): string {
  let path = folder;
  while (identityOf(path) === undefined && dirname(path) !== path) {
    path = dirname(path);
  }
  return path;
}
