import { crc32, inflateRawSync } from "node:zlib";

import { checkOptionNames, readLimits, type ResolvedLimits } from "@tenon/base";

import { ShipError } from "../error.ts";
import { packLimits, type PackLimits } from "./limits.ts";

/** The files of an archive by path, in the order of the archive. */
export type Files = ReadonlyMap<string, Uint8Array>;

const signatures = { local: 0x04034b50, central: 0x02014b50, end: 0x06054b50 };
const headBytes = { local: 30, central: 46, end: 22 };
const unixLink = 0o120000;
/** The end of a bundle that `mcpb sign` has signed. */
const signed = Buffer.from("MCPB_SIG_END");

/** Options of {@link readBundle}. */
export interface ReadBundleOptions {
  /** Limits on the bundle. */
  readonly limits?: Pick<PackLimits, "maxFiles" | "maxFileBytes" | "maxBundleBytes"> | undefined;
}

/**
 * Reads the files of a bundle (MCPB) by path, and refuses archives that readers could understand in
 * two ways. Nothing is written.
 *
 * @throws `ShipError` `BAD_ARCHIVE`, or `LIMIT`.
 */
export function readBundle(bytes: Uint8Array, options: ReadBundleOptions = {}): Files {
  checkOptionNames("readBundle", options, "limits:object", packLimits);
  return readZip(bytes, readLimits(options.limits, packLimits));
}

/**
 * Reads a ZIP archive and refuses everything that readers could understand in two ways: bytes
 * between and after the files, headers that contradict each other, names that lead out of the
 * folder, differ only in case or are files and folders at once, links, encryption, ZIP64.
 *
 * @throws `ShipError` `BAD_ARCHIVE`, or `LIMIT`.
 */
export function readZip(
  bytes: Uint8Array,
  limits: Pick<ResolvedLimits<PackLimits>, "maxFiles" | "maxFileBytes" | "maxBundleBytes">,
): Files {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const endAt = view.length - headBytes.end;
  if (view.subarray(-signed.length).equals(signed)) {
    throw bad("it is signed, and signatures are not supported");
  }
  if (endAt < 0 || view.readUInt32LE(endAt) !== signatures.end || view.readUInt16LE(endAt + 20) !== 0) {
    throw bad("it does not end with the record of its end");
  }
  const count = view.readUInt16LE(endAt + 10);
  const centralAt = view.readUInt32LE(endAt + 16);
  const isSplit = view.readUInt32LE(endAt + 4) !== 0 || view.readUInt16LE(endAt + 8) !== count;
  if (isSplit || centralAt + view.readUInt32LE(endAt + 12) !== endAt) {
    throw bad("the record of its end contradicts its length");
  }
  if (count > limits.maxFiles) {
    throw new ShipError(
      "LIMIT",
      `There may be ${limits.maxFiles} files in a bundle (maxFiles); got ${count}.`,
    );
  }
  const files = new Map<string, Uint8Array>();
  const folded = new Set<string>();
  const folders = new Set<string>();
  let at = centralAt;
  let next = 0;
  let total = 0;
  for (let index = 0; index < count; index += 1) {
    const entry = readCentral(view, at, endAt);
    const { name, size } = entry;
    checkName(name);
    if (folded.has(name.toLowerCase())) {
      throw bad(`it has ${JSON.stringify(name)} twice`);
    }
    folded.add(name.toLowerCase());
    const parts = name.toLowerCase().split("/");
    parts.slice(1).forEach((_, depth) => folders.add(parts.slice(0, depth + 1).join("/")));
    total += size;
    if (size > limits.maxFileBytes || total > limits.maxBundleBytes) {
      const [most, limit] =
        size > limits.maxFileBytes
          ? [limits.maxFileBytes, "maxFileBytes"]
          : [limits.maxBundleBytes, "maxBundleBytes"];
      throw new ShipError("LIMIT", `${name} exceeds ${most} bytes (${limit}).`);
    }
    if (entry.localAt !== next) {
      throw bad(`there are bytes before ${JSON.stringify(name)} that belong to no file`);
    }
    const { data, end } = readLocal(view, entry, centralAt);
    files.set(name, data);
    next = end;
    at = entry.end;
  }
  const both = [...files.keys()].find((name) => folders.has(name.toLowerCase()));
  if (both !== undefined) {
    throw bad(`${JSON.stringify(both)} is both a file and a folder`);
  }
  if (next !== centralAt || at !== endAt) {
    throw bad("it has bytes that belong to no file");
  }
  return files;
}

interface Entry {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly localAt: number;
  /** The offset of the next entry. */
  readonly end: number;
}

function readCentral(view: Buffer, at: number, most: number): Entry {
  if (at + headBytes.central > most || view.readUInt32LE(at) !== signatures.central) {
    throw bad("its directory is cut off");
  }
  const [nameLength, extra, comment] = [28, 30, 32].map((offset) => view.readUInt16LE(at + offset)) as [
    number,
    number,
    number,
  ];
  const end = at + headBytes.central + nameLength;
  const name = decoded(view.subarray(at + headBytes.central, end));
  const mode = view.readUInt32LE(at + 38) >>> 16;
  if (extra !== 0 || comment !== 0 || end > most) {
    throw bad(`${JSON.stringify(name)} has an extra field or a comment`);
  }
  if ((mode & 0o170000) === unixLink) {
    throw bad(`${JSON.stringify(name)} is a link`);
  }
  return { name, end, localAt: view.readUInt32LE(at + 42), ...factsAt(view, at + 8) };
}

/** The fields that both headers of a file have, in the same order. */
function factsAt(view: Buffer, at: number): Pick<Entry, "flags" | "method" | "crc" | "packed" | "size"> {
  return {
    flags: view.readUInt16LE(at),
    method: view.readUInt16LE(at + 2),
    crc: view.readUInt32LE(at + 8),
    packed: view.readUInt32LE(at + 12),
    size: view.readUInt32LE(at + 16),
  };
}

function readLocal(view: Buffer, entry: Entry, most: number): { data: Uint8Array; end: number } {
  const { name, localAt: at, method, packed, size, crc, flags } = entry;
  const quoted = JSON.stringify(name);
  if (at + headBytes.local > most || view.readUInt32LE(at) !== signatures.local) {
    throw bad(`${quoted} has no header`);
  }
  const start = at + headBytes.local + view.readUInt16LE(at + 26);
  const end = start + packed;
  const facts = factsAt(view, at + 6);
  const agrees =
    decoded(view.subarray(at + headBytes.local, start)) === name &&
    view.readUInt16LE(at + 28) === 0 &&
    Object.entries(facts).every(([key, value]) => entry[key as keyof Entry] === value);
  // Bit 11: the name is UTF-8. Others mean encryption, or sizes behind the data.
  if (!agrees || (flags & ~0x0800) !== 0 || end > most) {
    throw bad(`the two headers of ${quoted} contradict each other`);
  }
  const raw = view.subarray(start, end);
  if (method !== 0 && method !== 8) {
    throw bad(`${quoted} is compressed by the unknown method ${method}`);
  }
  let data: Uint8Array;
  let read = packed;
  try {
    if (method === 0) {
      data = Uint8Array.from(raw);
    } else {
      // The types of Node do not know the result with `info`.
      const inflated = inflateRawSync(raw, { maxOutputLength: Math.max(1, size), info: true }) as unknown as {
        readonly buffer: Buffer;
        readonly engine: { readonly bytesWritten: number };
      };
      data = inflated.buffer;
      read = inflated.engine.bytesWritten;
    }
  } catch (cause) {
    throw bad(`${quoted} cannot be decompressed`, cause);
  }
  if (read !== packed) {
    throw bad(`${quoted} has bytes after its end`);
  }
  if (data.length !== size || crc32(data) !== crc) {
    throw bad(`${quoted} is damaged`);
  }
  return { data, end };
}

/** Names of devices in Windows, in any case and with any extension. */
const reserved = /^(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(?:COM|LPT)[\d\u00B9\u00B2\u00B3]) *(?:\.|$)/i;

/** Names are relative paths with forward slashes, in any file system. */
function checkName(name: string): void {
  const isSafe = name
    .split("/")
    .every(
      (part) =>
        !/^\.{0,2}$/.test(part) &&
        !/[\\:*?"<>|\p{Cc}]/u.test(part) &&
        !/[. ]$/.test(part) &&
        !reserved.test(part),
    );
  if (!isSafe || name.length > 200) {
    throw bad(`${JSON.stringify(name.slice(0, 200))} is not a relative path that every system accepts`);
  }
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw bad("a name is not UTF-8", cause);
  }
}

function bad(reason: string, cause?: unknown): ShipError {
  return new ShipError("BAD_ARCHIVE", `The bundle cannot be read: ${reason}.`, { cause });
}
