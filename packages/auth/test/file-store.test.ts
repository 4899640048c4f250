import {
  chmod,
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";

import { fileStore } from "@tenon/auth/node";
import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { expect, test } from "vitest";

import { createNewest } from "../src/node/newest.ts";
import { temporaryDirectory, testKeychain } from "./folder.ts";

const secret = JSON.stringify({ refresh_token: "canary-3f9a" });

async function filesOf(directory: string): Promise<string[]> {
  return (await readdir(directory)).map((name) => join(directory, name));
}

test("files belong to the user alone, and one file holds the newest value", async () => {
  await using folder = await temporaryDirectory();
  const directory = join(folder.path, "a", "b");
  const store = fileStore({ directory, protection: "file" });
  for (let round = 0; round < 5; round++) {
    await store.put("key", secret);
  }
  expect(await filesOf(directory)).toHaveLength(1);
  const [file = ""] = await filesOf(directory);
  expect((await stat(directory)).mode & 0o777).toBe(0o700);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("A-071: a sealed file contains nothing of the value", async () => {
  await using folder = await temporaryDirectory();
  const keychain = testKeychain();
  const store = fileStore({ directory: folder.path, protection: "keychain", keychain });
  await store.put("key", secret);
  const [file = ""] = await filesOf(folder.path);
  const text = await readFile(file, "utf8");
  expect(text).not.toContain("canary");
  expect(Buffer.from(text.replaceAll(/[^\w+/=]/g, ""), "base64").toString("latin1")).not.toContain("canary");
  expect((await fileStore({ directory: folder.path, keychain }).get("key"))?.value).toBe(secret);
});

test("A-070: a file that others may read is refused", async () => {
  await using folder = await temporaryDirectory();
  const store = fileStore({ directory: folder.path, protection: "file" });
  await store.put("key", secret);
  const [file = ""] = await filesOf(folder.path);
  await chmod(file, 0o644);
  await expect(store.get("key")).rejects.toMatchObject({ code: "AUTH_STORE_FAILED", retryable: true });
});

test("A-070: a file that was replaced by a symbolic link is refused", async () => {
  await using folder = await temporaryDirectory();
  const directory = join(folder.path, "store");
  const store = fileStore({ directory, protection: "file" });
  await store.put("key", secret);
  const [file = ""] = await filesOf(directory);
  const elsewhere = join(folder.path, "elsewhere");
  await rename(file, elsewhere);
  await symlink(elsewhere, file);
  await expect(store.get("key")).rejects.toMatchObject({ code: "AUTH_STORE_FAILED" });
});

test("A-070: a directory that others may write, or that is a symbolic link, is refused", async () => {
  await using folder = await temporaryDirectory();
  const open = join(folder.path, "open");
  await mkdir(open, { mode: 0o777 });
  await chmod(open, 0o777);
  await expect(fileStore({ directory: open, protection: "file" }).get("key")).rejects.toMatchObject({
    code: "AUTH_STORE_FAILED",
  });
  const linked = join(folder.path, "linked");
  await symlink(folder.path, linked);
  await expect(fileStore({ directory: linked, protection: "file" }).get("key")).rejects.toMatchObject({
    code: "AUTH_STORE_FAILED",
  });
});

test.each(["keychain", "file"] as const)(
  "A-070: a truncated file counts as absent at every length, and can be written again (%s)",
  async (protection) => {
    await using folder = await temporaryDirectory();
    const options = { directory: folder.path, protection, keychain: testKeychain() };
    await fileStore(options).put("key", secret);
    const [file = ""] = await filesOf(folder.path);
    const text = await readFile(file, "utf8");
    for (let length = 0; length < text.length; length += 7) {
      await writeFile(file, text.slice(0, length));
      expect(await fileStore(options).get("key")).toBeUndefined();
    }
    expect(await fileStore(options).put("key", secret, { ifGeneration: "absent" })).toBe(2);
    expect((await fileStore(options).get("key"))?.value).toBe(secret);
  },
);

test("A-070: an older file that comes back counts as absent, because its tokens were replaced", async () => {
  await using folder = await temporaryDirectory();
  const store = fileStore({ directory: folder.path, protection: "file" });
  await store.put("key", "1");
  const [old = ""] = await filesOf(folder.path);
  const copy = `${old}.copy`;
  await copyFile(old, copy);
  await store.put("key", "2");
  const [newest = ""] = (await filesOf(folder.path)).filter((name) => name !== copy);
  await rename(copy, old);
  await rename(newest, join(folder.path, "moved"));
  expect(await store.get("key")).toBeUndefined();
  // Nor does it count under the name of a later generation.
  await rename(old, newest);
  expect(await store.get("key")).toBeUndefined();
});

test("a value that is read while it is replaced is never absent", async () => {
  await using folder = await temporaryDirectory();
  const options = { directory: folder.path, protection: "file" as const };
  const store = fileStore(options);
  const other = fileStore(options);
  await store.put("key", "0");
  for (let round = 1; round <= 40; round++) {
    const found = await Promise.all([
      ...Array.from({ length: 12 }, () => store.get("key")),
      other.put("key", String(round)),
      ...Array.from({ length: 12 }, () => store.get("key")),
      store.put("key", "overwritten", { ifGeneration: "absent" }),
    ]);
    expect(found).not.toContain(undefined);
    expect(found.at(-1)).toBe("conflict");
  }
});

test("the newest generation of a key never goes back, whatever the order in which reads end", () => {
  const newest = createNewest();
  const first = newest.of("key");
  newest.note("key", 6);
  // A read that began earlier and found less.
  newest.note("key", 5);
  newest.forget("key", first);
  expect(newest.of("key")).toBe(6);
  newest.forget("key", 6);
  expect(newest.of("key")).toBe(0);
});

test("A-070: a value that was moved to another key counts as absent", async () => {
  await using folder = await temporaryDirectory();
  const options = { directory: folder.path, protection: "keychain" as const, keychain: testKeychain() };
  const store = fileStore(options);
  await store.put("a", "of a");
  const [a = ""] = await filesOf(folder.path);
  await store.put("b", "of b");
  const [b = ""] = (await filesOf(folder.path)).filter((name) => name !== a);
  await copyFile(a, b);
  expect(await fileStore(options).get("b")).toBeUndefined();
});

test("a keychain that is locked loses nothing: the store fails until it is unlocked", async () => {
  await using folder = await temporaryDirectory();
  const keychain = testKeychain();
  const options = { directory: folder.path, keychain, onWarning: () => {} };
  await fileStore(options).put("key", secret);
  keychain.locked = true;
  const store = fileStore(options);
  await expect(store.get("key")).rejects.toMatchObject({ code: "AUTH_STORE_FAILED" });
  await expect(store.put("key", "new")).rejects.toMatchObject({ code: "AUTH_STORE_FAILED" });
  keychain.locked = false;
  expect((await store.get("key"))?.value).toBe(secret);
});

test("while a keychain does not respond, files without a seal are read, and nothing is written", async () => {
  await using folder = await temporaryDirectory();
  const clock = createVirtualClock();
  const keychain = { get: () => new Promise<never>(() => {}), set: () => Promise.resolve() };
  const options = { directory: folder.path, keychain, limits: { keychainMs: 1000 }, clock };
  await fileStore({ directory: folder.path, protection: "file" }).put("key", "open");
  async function ended<T>(work: Promise<T>): Promise<T> {
    while (clock.timers === 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    clock.advance(1000);
    return work;
  }
  const warnings: string[] = [];
  const store = fileStore({ ...options, onWarning: (message) => warnings.push(message) });
  expect((await ended(store.get("key")))?.value).toBe("open");
  const failed = { code: "AUTH_STORE_FAILED", message: expect.stringContaining("keychainMs") };
  await expect(ended(store.put("new", secret))).rejects.toMatchObject(failed);
  expect(warnings).toEqual([]);
  expect(await fileStore({ directory: folder.path, protection: "file" }).get("new")).toBeUndefined();
  const strict = fileStore({ ...options, protection: "keychain" });
  await expect(ended(strict.get("key"))).rejects.toMatchObject({ code: "AUTH_STORE_FAILED" });
});

test("without a keychain auto uses the permissions of the files and warns once, and keychain fails", async () => {
  await using folder = await temporaryDirectory();
  const keychain = testKeychain();
  keychain.locked = true;
  const warnings: string[] = [];
  const auto = fileStore({
    directory: join(folder.path, "auto"),
    keychain,
    onWarning: (message) => warnings.push(message),
  });
  await auto.put("key", secret);
  expect((await auto.get("key"))?.value).toBe(secret);
  expect(warnings).toHaveLength(1);
  const strict = fileStore({ directory: join(folder.path, "strict"), keychain, protection: "keychain" });
  await expect(strict.put("key", secret)).rejects.toMatchObject({ code: "AUTH_STORE_FAILED" });
});

test("stores that start at the same time agree on one key", async () => {
  await using folder = await temporaryDirectory();
  const keychain = testKeychain();
  const options = { directory: folder.path, protection: "keychain" as const, keychain };
  const stores = Array.from({ length: 8 }, () => fileStore(options));
  await Promise.all(stores.map((store, index) => store.put(`key ${index}`, String(index))));
  const fresh = fileStore(options);
  for (let index = 0; index < stores.length; index++) {
    expect((await fresh.get(`key ${index}`))?.value).toBe(String(index));
  }
});

test("a value that has expired counts as absent, and its file is deleted a day later", async () => {
  await using folder = await temporaryDirectory();
  const options = { directory: folder.path, protection: "file" as const };
  const store = fileStore(options);
  await store.put("soon", "1", { expiresAt: Date.now() - 1 });
  await store.put("long ago", "1", { expiresAt: Date.now() - 2 * 86_400_000 });
  expect(await store.get("soon")).toBeUndefined();
  expect(await filesOf(folder.path)).toHaveLength(2);
  await fileStore(options).get("key");
  expect(await filesOf(folder.path)).toHaveLength(1);
});

/** Ends all leases, as if their holders had been suspended for longer than they last. */
async function suspend(directory: string): Promise<void> {
  for (const file of await filesOf(directory)) {
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace(/"until":\d+/, `"until":${Date.now() - 1}`));
  }
}

/** Expects that another process that wants the lock of `key` has to wait for it. */
async function expectHeld(directory: string): Promise<void> {
  const clock = createVirtualClock();
  const waiting = new AbortController();
  const lock = fileStore({ directory, protection: "file", clock }).lock?.("key", waiting.signal);
  while (clock.timers === 0) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  waiting.abort(new Error("still held"));
  await expect(lock).rejects.toThrow("still held");
}

test("A-036: a lock whose holder does not renew it is taken over, and the late holder changes nothing", async () => {
  await using folder = await temporaryDirectory();
  const options = { directory: folder.path, protection: "file" as const };
  const { signal } = new AbortController();
  const frozen = fileStore(options);
  const first = await frozen.put("key", "1");
  const held = await frozen.lock?.("key", signal);
  await suspend(folder.path);
  const other = fileStore(options);
  const taken = await other.lock?.("key", signal);
  expect(await other.put("key", "2", { ifGeneration: Number(first) })).toBe(2);
  expect(await frozen.put("key", "late", { ifGeneration: Number(first) })).toBe("conflict");
  await held?.[Symbol.asyncDispose]();
  // The end of the late holder does not free the lock of the other.
  await expectHeld(folder.path);
  await taken?.[Symbol.asyncDispose]();
});

test("a late holder that ends while it renews its lock does not free the lock of another process", async () => {
  await using folder = await temporaryDirectory();
  const options = { directory: folder.path, protection: "file" as const };
  const { signal } = new AbortController();
  const clock = createVirtualClock();
  const held = await fileStore({ ...options, clock }).lock?.("key", signal);
  await suspend(folder.path);
  const taken = await fileStore(options).lock?.("key", signal);
  clock.advance(5000);
  await held?.[Symbol.asyncDispose]();
  await expectHeld(folder.path);
  await taken?.[Symbol.asyncDispose]();
});

test("a file of a writer that was killed is deleted after an hour, and never read", async () => {
  await using folder = await temporaryDirectory();
  await writeFile(join(folder.path, "x.tmp"), "half", { mode: 0o600 });
  const store = fileStore({ directory: folder.path, protection: "file" });
  expect(await store.get("key")).toBeUndefined();
  expect(await filesOf(folder.path)).toHaveLength(1);
});
