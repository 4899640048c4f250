import { folderType } from "../wire/messages.ts";
import type { ServedFile } from "./skill.ts";

/** A file or folder in a folder. */
export interface FolderItem {
  readonly uri: string;
  readonly name: string;
  /** `inode/directory` for a folder. */
  readonly mimeType: string;
  /** Length of a file in bytes. */
  readonly size?: number;
}

/** The content of every folder of some files, by the URI of the folder. */
export function foldersOf(files: readonly ServedFile[]): ReadonlyMap<string, readonly FolderItem[]> {
  const folders = new Map<string, Map<string, FolderItem>>();
  const add = (item: FolderItem): void => {
    const folder = item.uri.slice(0, item.uri.lastIndexOf("/"));
    // The first part of a path is the authority of the URI.
    if (folder === "skill:/") {
      return;
    }
    const items = folders.get(folder) ?? new Map<string, FolderItem>();
    folders.set(folder, items);
    if (!items.has(item.uri)) {
      items.set(item.uri, item);
      add({ uri: folder, name: nameOf(folder), mimeType: folderType });
    }
  };
  for (const { uri, mimeType, bytes } of files) {
    add({ uri, name: nameOf(uri), mimeType, size: bytes.length });
  }
  return new Map(
    [...folders].map(([uri, items]) => [
      uri,
      [...items.values()].toSorted((a, b) => (a.uri < b.uri ? -1 : 1)),
    ]),
  );
}

function nameOf(uri: string): string {
  return decodeURIComponent(uri.slice(uri.lastIndexOf("/") + 1));
}
