import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";

import { isRecord } from "@tenon/base";

import { contentBytes } from "./content.ts";

/** The ends of the names of files, by MIME type. Names of the server are not used. */
const ends: Readonly<Record<string, string>> = {
  "application/json": "json",
  "application/pdf": "pdf",
  "audio/mpeg": "mp3",
  "audio/ogg": "ogg",
  "audio/wav": "wav",
  "image/gif": "gif",
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/svg+xml": "svg",
  "image/webp": "webp",
  "text/csv": "csv",
  "text/html": "html",
};

/** How many names are tried until one is free. */
const maxNames = 10_000;

/** Characters of the name of a tool in the name of a file. File systems allow about 250 bytes. */
const maxNameLength = 100;

/** Whether a path ends as the files that are written. */
export function isFileName(path: string): boolean {
  return Object.values(ends).includes(extname(path).slice(1).toLowerCase());
}

/** Whether a block has content that a terminal cannot show: a picture, a sound or a file. */
export function isFile(block: unknown): boolean {
  const { type, resource } = isRecord(block) ? block : {};
  return type === "image" || type === "audio" || (isRecord(resource) && typeof resource["blob"] === "string");
}

/** The name of the first file that {@link saveFiles} would write. */
export function freeNameIn(folder: string, name: string, block: unknown): string {
  let number = 1;
  while (existsSync(join(folder, fileNameOf(name, block, number))) && number < maxNames) {
    number++;
  }
  return fileNameOf(name, block, number);
}

function fileNameOf(name: string, block: unknown, number: number): string {
  return `${name.replaceAll(/[^\w-]+/g, "-").slice(0, maxNameLength)}-${number}.${endOf(block)}`;
}

/**
 * Writes the pictures, sounds and files among the blocks of a result, and replaces no file.
 *
 * @param name - The begin of the names of the files.
 * @returns The path of each block that was written, by its position.
 */
export async function saveFiles(
  folder: string,
  name: string,
  content: readonly unknown[],
): Promise<ReadonlyMap<number, string>> {
  const paths = new Map<number, string>();
  let next = 1;
  for (const [position, block] of content.entries()) {
    if (!isFile(block)) {
      continue;
    }
    if (paths.size === 0) {
      await mkdir(folder, { recursive: true });
    }
    for (; !paths.has(position); next++) {
      const path = join(folder, fileNameOf(name, block, next));
      try {
        await writeFile(path, contentBytes(block), { flag: "wx" });
        paths.set(position, path);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST" || next >= maxNames) {
          throw error;
        }
      }
    }
  }
  return paths;
}

function endOf(block: unknown): string {
  const holder = isRecord(block) && isRecord(block["resource"]) ? block["resource"] : block;
  const { mimeType = "" } = isRecord(holder) ? holder : {};
  const [type = ""] = String(mimeType).toLowerCase().split(";");
  return Object.hasOwn(ends, type.trim()) ? (ends[type.trim()] ?? "bin") : "bin";
}
