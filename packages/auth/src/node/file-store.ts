import { randomBytes } from "node:crypto";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

import {
  checkOptionNames,
  inTime,
  readLimits,
  reasonOf,
  systemClock,
  type Clock,
  type LimitRules,
} from "@tenon/base";

import { memoryStore, type AuthStore } from "../client/tokens/store.ts";
import { AuthError } from "../shared/error.ts";
import { openGenerations, type Generations } from "./generations.ts";
import { systemKeychain, type Keychain } from "./keychain.ts";
import { createLeases } from "./lease.ts";
import { createNewest } from "./newest.ts";
import { decodeRecord, encodeRecord, expiryOf, type StoredRecord } from "./record.ts";

/** Limits of a {@link fileStore}. */
export interface FileStoreLimits {
  /**
   * Maximum time for the keychain to return the key, in milliseconds. After it, only values that
   * are not sealed can be read, and writes fail with `AUTH_STORE_FAILED`. The next operation asks
   * the keychain again. By default a locked keychain waits for the user without a limit.
   * Default: `Infinity`.
   */
  readonly keychainMs?: number | undefined;
}

const limitRules: LimitRules<FileStoreLimits> = { keychainMs: [Infinity, 1] };

/** Options of {@link fileStore}. */
export interface FileStoreOptions {
  /**
   * The directory of the files. It is created for this user only. Default: `tenon/auth` in the
   * directory for application data: `$XDG_DATA_HOME` or `~/.local/share`,
   * `~/Library/Application Support` on macOS, `%LOCALAPPDATA%` on Windows. Variables that are not
   * absolute paths are ignored.
   */
  readonly directory?: string | undefined;
  /**
   * The protection of the files. `"keychain"`: they are sealed with a key in the keychain of the
   * system, and the store fails without one. `"file"`: only the permissions of the files protect
   * them. `"auto"`: sealed if there is a keychain, otherwise as `"file"`, with a warning.
   * Default: `"auto"`.
   */
  readonly protection?: "auto" | "keychain" | "file" | undefined;
  /**
   * The keychain entry that holds the key. Default: an entry of the system's keychain, by the
   * optional package `@napi-rs/keyring`.
   */
  readonly keychain?: Keychain | undefined;
  /**
   * Called once if the files are not sealed because there is no keychain. Default:
   * `console.warn`.
   */
  readonly onWarning?: ((message: string) => void) | undefined;
  /** Limits the wait for the keychain. Each limit has its own default. */
  readonly limits?: FileStoreLimits | undefined;
  /** Sets timers. Default: the clock of the platform. */
  readonly clock?: Clock | undefined;
}

/** Maximum length of a value, in characters. */
const maxValueLength = 65_536;
/**
 * How long the generations of a deleted key with an expiry are kept, in milliseconds: longer than
 * a writer is suspended.
 */
const afterlifeMs = 86_400_000;
const keyBytes = 32;
/** Stands for the key of a keychain that has not responded in time. */
const late: unique symbol = Symbol("late");

/** The key of the files; `undefined`: they are not sealed. */
type Secret = Buffer | undefined | typeof late;
/** Maximum time for another process to create the key, in milliseconds. */
const creationMs = 30_000;
/** How often a write without a condition is tried while other processes write the same key. */
const maxWrites = 100;

/**
 * Creates a store in files, which several processes may share. Writes are atomic: a process that
 * is killed leaves the old or the new value. Locks are leases of 15 seconds, which their holder
 * renews.
 *
 * @example const store = fileStore();
 *
 * @throws `TypeError` for options that do not exist, and for limits that are out of range.
 */
export function fileStore(options: FileStoreOptions = {}): AuthStore {
  checkOptionNames("fileStore", options, "directory protection keychain onWarning limits clock", limitRules);
  const { directory = defaultDirectory(), clock = systemClock } = options;
  let opening: Promise<Generations> | undefined;
  const files = (): Promise<Generations> => {
    opening ??= openSwept(directory);
    opening.catch(() => (opening = undefined));
    return opening;
  };
  const lock = createLeases(files, memoryStore().lock as NonNullable<AuthStore["lock"]>, clock);
  const secret = createSecret(directory, options, lock);
  const newest = createNewest();

  async function current(key: string): Promise<{ generation: number; record: StoredRecord | undefined }> {
    const opened = await files();
    const known = newest.of(key);
    const { generation, text } = await opened.read(key);
    if (text === undefined) {
      newest.forget(key, known);
      return { generation: 0, record: undefined };
    }
    if (generation < known) {
      return { generation: known, record: undefined };
    }
    const sealing = await secret();
    const record = decodeRecord(text, { key, generation }, sealing === late ? undefined : sealing);
    newest.note(key, generation);
    const isExpired = record?.expiresAt !== undefined && record.expiresAt <= Date.now();
    return { generation, record: isExpired ? undefined : record };
  }

  /** Writes the next generation if `condition` holds. @returns Its number, or `undefined`. */
  async function write(
    key: string,
    value: string | undefined,
    expiresAt: number | undefined,
    condition: number | "absent" | undefined,
  ): Promise<number | undefined> {
    for (let attempt = 1; attempt <= maxWrites; attempt++) {
      const { generation, record } = await current(key);
      const present = record?.value === undefined ? "absent" : generation;
      if (condition !== undefined && condition !== present) {
        return undefined;
      }
      const next: StoredRecord = { key, value, generation: generation + 1, expiresAt };
      const sealing = await secret();
      if (sealing === late) {
        // Without a seal, the value would be left readable for others.
        throw new AuthError("AUTH_STORE_FAILED", "The keychain did not respond in time (keychainMs).");
      }
      const text = encodeRecord(next, sealing);
      if (await (await files()).create(key, next.generation, text, true)) {
        newest.note(key, next.generation);
        return next.generation;
      }
    }
    throw new AuthError(
      "AUTH_STORE_FAILED",
      `Other processes changed a value in ${directory} ${maxWrites} times.`,
    );
  }

  return {
    async get(key) {
      const { generation, record } = await current(key);
      return record?.value === undefined ? undefined : { value: record.value, generation };
    },
    async put(key, value, { ifGeneration, expiresAt } = {}) {
      if (value.length > maxValueLength || key.length > 100) {
        throw new AuthError("LIMIT", "A value has at most 64 KiB, and its key at most 100 characters.");
      }
      return (await write(key, value, expiresAt, ifGeneration)) ?? "conflict";
    },
    async delete(key, { ifGeneration } = {}) {
      const { generation, record } = await current(key);
      if (record?.value === undefined || (ifGeneration !== undefined && ifGeneration !== generation)) {
        return false;
      }
      return (await write(key, undefined, record.expiresAt, generation)) !== undefined;
    },
    lock,
  };
}

async function openSwept(directory: string): Promise<Generations> {
  const files = await openGenerations(directory);
  await files.sweep((text) => expiryOf(text) < Date.now() - afterlifeMs);
  return files;
}

/** Returns a function that fetches the key of the files once. */
function createSecret(
  directory: string,
  options: FileStoreOptions,
  lock: NonNullable<AuthStore["lock"]>,
): () => Promise<Secret> {
  const { protection = "auto", onWarning = (message) => console.warn(message), clock } = options;
  const { keychainMs } = readLimits(options.limits, limitRules);
  let fetching: Promise<Secret> | undefined;
  let isWarned = false;
  async function fetch(): Promise<Secret> {
    if (protection === "file") {
      return undefined;
    }
    try {
      const keychain = options.keychain ?? (await systemKeychain(directory));
      return await inTime<Secret>(keyIn(keychain, lock), keychainMs, {
        expired() {
          if (protection === "keychain") {
            throw new Error(`The keychain did not respond within ${keychainMs} ms (keychainMs).`);
          }
          fetching = undefined;
          return late;
        },
        clock,
      });
    } catch (cause) {
      if (protection === "keychain") {
        const message = "The keychain with the key of the stored credentials is not available.";
        throw new AuthError("AUTH_STORE_FAILED", `${message} ${reasonOf(cause)}`, { cause });
      }
      const isMissing = (cause as { readonly code?: unknown }).code === "ERR_MODULE_NOT_FOUND";
      if (!isWarned) {
        isWarned = true;
        const reason = isMissing ? "the package @napi-rs/keyring is not installed." : reasonOf(cause);
        onWarning(
          `Credentials in ${directory} are protected by the permissions of the files only, because no keychain is available: ${reason}`,
        );
      }
      if (!isMissing) {
        // The keychain may only be locked: it is asked again for the next value.
        fetching = undefined;
      }
      return undefined;
    }
  }
  return () => {
    fetching ??= fetch();
    fetching.catch(() => (fetching = undefined));
    return fetching;
  };
}

/** The key in a keychain. The first process creates it. */
async function keyIn(keychain: Keychain, lock: NonNullable<AuthStore["lock"]>): Promise<Buffer> {
  const present = decodeKey(await keychain.get());
  if (present !== undefined) {
    return present;
  }
  const lease = await lock("keychain", AbortSignal.timeout(creationMs));
  try {
    const meanwhile = decodeKey(await keychain.get());
    if (meanwhile !== undefined) {
      return meanwhile;
    }
    const created = randomBytes(keyBytes);
    await keychain.set(created.toString("base64"));
    return created;
  } finally {
    await lease[Symbol.asyncDispose]();
  }
}

function decodeKey(text: string | undefined): Buffer | undefined {
  const key = Buffer.from(text ?? "", "base64");
  return key.length === keyBytes ? key : undefined;
}

function defaultDirectory(): string {
  const { env, platform } = process;
  const home = homedir();
  /** A variable may be set and empty. A relative path would lead to the current directory. */
  const absolute = (value = ""): string | undefined => (isAbsolute(value) ? value : undefined);
  const data =
    platform === "win32"
      ? (absolute(env["LOCALAPPDATA"]) ?? join(home, "AppData", "Local"))
      : platform === "darwin"
        ? join(home, "Library", "Application Support")
        : (absolute(env["XDG_DATA_HOME"]) ?? join(home, ".local", "share"));
  return join(data, "tenon", "auth");
}
