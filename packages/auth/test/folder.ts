import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Keychain } from "@tenon/auth/node";

/** A directory that is deleted after the test. */
export async function temporaryDirectory(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "tenon-auth-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** A keychain that several stores share. */
export function testKeychain(): Keychain & { locked: boolean; secret: string | undefined } {
  const keychain = {
    locked: false,
    secret: undefined as string | undefined,
    get: () => (keychain.locked ? Promise.reject(new Error("locked")) : Promise.resolve(keychain.secret)),
    set(secret: string) {
      keychain.secret = secret;
      return Promise.resolve();
    },
  };
  return keychain;
}
