import { readdirSync, statSync, watch, type Dirent, type FSWatcher } from "node:fs";
import { basename, dirname, join, sep } from "node:path";

import { usageError } from "../exit.ts";
import { moduleGraphOf } from "./module-graph.ts";

/** Changes within this time are one change, in milliseconds. */
const settleMs = 150;
/** Folders of one program that are watched. */
const maxFolders = 2000;
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

/** The files that are watched. */
interface Wanted {
  /** The folders of the files. */
  readonly folders: readonly string[];
  /** Whether a change of a file counts. */
  has(path: string): boolean;
  /** Whether folders that appear in a watched folder are watched too. */
  readonly isDeep: boolean;
}

/**
 * Watches all sources of a folder, and of the folders in it. Folders may be removed and written
 * again.
 *
 * @throws `CliError` if there is no such folder, and if it has too many folders.
 */
export function watchFolder(folder: string, onChange: () => Promise<void>): FileWatch {
  if (identityOf(folder) === undefined) {
    throw usageError(`There is no folder ${folder}.`, "--watch src");
  }
  const has = (path: string): boolean => isSource(basename(path));
  const read = (): Wanted => ({ folders: foldersIn(folder), has, isDeep: true });
  if (read().folders.length > maxFolders) {
    throw usageError(
      `${folder} has more than ${maxFolders} folders.`,
      "--watch src, or leave out --watch: the modules that the server imports are watched then",
    );
  }
  return watchWanted(read, onChange);
}

/**
 * Watches the modules that a program imports. Its imports are read again after each change, before
 * the function is called. Folders may be removed and written again, as builds do.
 */
export function watchModules(entry: string, onChange: () => Promise<void>): FileWatch {
  const read = (): Wanted => {
    const { files } = moduleGraphOf(entry);
    const folders = [...new Set([...files].map((file) => dirname(file)))];
    return { folders, has: (path) => files.has(path), isDeep: false };
  };
  return watchWanted(read, onChange);
}

/** A folder that is watched. */
interface WatchedFolder {
  readonly watcher: FSWatcher;
  /** Another folder at the same path has another identity. */
  readonly identity: string;
}

/** Watches what `read` returns. It is read again after each change. */
function watchWanted(read: () => Wanted, onChange: () => Promise<void>): FileWatch {
  const watched = new Map<string, WatchedFolder>();
  /** Folders of files that do not exist. The folder above is watched instead. */
  let missing: readonly string[] = [];
  let wanted = read();
  const { changed, close } = caller(() => {
    wanted = read();
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
      if (isItself && !wanted.has(path)) {
        // A new folder may have the identity of the old folder.
        unwatch(folder);
      }
      watchAll();
      changed();
    } else if (wanted.has(path)) {
      changed();
    } else if (wanted.isDeep && (watched.has(path) || identityOf(path) !== undefined)) {
      onFolder(path);
    }
  }

  /** A folder was added or removed. Files may have been written before it is watched. */
  function onFolder(path: string): void {
    const wasWatched = watched.has(path);
    wanted = read();
    watchAll();
    if (wasWatched || (wanted.folders.includes(path) && hasSource(path))) {
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
    const { folders } = wanted;
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

/** A folder and the folders in it, at most one more than are watched. */
function foldersIn(folder: string): string[] {
  const found = [folder];
  for (let index = 0; index < found.length && found.length <= maxFolders; index++) {
    for (const entry of entriesOf(found[index] ?? folder)) {
      if (entry.isDirectory() && entry.name !== "node_modules" && entry.name !== ".git") {
        found.push(join(entry.parentPath, entry.name));
      }
    }
  }
  return found.slice(0, maxFolders + 1);
}

function hasSource(folder: string): boolean {
  return foldersIn(folder).some((each) => entriesOf(each).some(({ name }) => isSource(name)));
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // The folder has just been removed.
    return [];
  }
}
