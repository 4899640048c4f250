import type { AuthStore } from "@tenon/auth/client";
import { isRecord } from "@tenon/base";

import { haveOneLogin } from "./uses-login.ts";

/** A login that a command has made. */
export interface Login {
  readonly url: string;
  readonly profile: string;
}

/** The keys of tokens are hashes, so the list of servers is a value of its own. */
const key = "logins";
/** How often a change is tried while other processes change the list. */
const maxWrites = 20;
/** The oldest logins are no longer listed. The list has to fit into a value of the store. */
const maxLogins = 200;
const maxListBytes = 48 * 1024;
/** A longer URL would push others out of the list, so it is not listed. */
const maxUrlBytes = 4096;

/** The logins of this user, in the order in which they were made. */
export async function readLogins(store: AuthStore): Promise<readonly Login[]> {
  return parse((await store.get(key))?.value);
}

/** Adds a login to the list. @returns Whether it is the first login that the store has ever had. */
export async function rememberLogin(store: AuthStore, login: Login): Promise<boolean> {
  return change(store, (logins) => fitting([...without(logins, login), login]));
}

function fitting(logins: readonly Login[]): readonly Login[] {
  let kept = logins.filter(({ url }) => Buffer.byteLength(url) <= maxUrlBytes).slice(-maxLogins);
  while (Buffer.byteLength(JSON.stringify(kept)) > maxListBytes) {
    kept = kept.slice(1);
  }
  return kept;
}

/** Removes a login from the list. */
export async function forgetLogin(store: AuthStore, login: Login): Promise<void> {
  if ((await store.get(key)) !== undefined) {
    await change(store, (logins) => without(logins, login));
  }
}

/** Returns whether the list was created. */
async function change(
  store: AuthStore,
  next: (logins: readonly Login[]) => readonly Login[],
): Promise<boolean> {
  for (let attempt = 1; attempt <= maxWrites; attempt++) {
    const found = await store.get(key);
    const value = JSON.stringify(next(parse(found?.value)));
    if ((await store.put(key, value, { ifGeneration: found?.generation ?? "absent" })) !== "conflict") {
      return found === undefined;
    }
  }
  return false;
}

function without(logins: readonly Login[], { url, profile }: Login): readonly Login[] {
  return logins.filter((each) => each.profile !== profile || !haveOneLogin(each.url, url));
}

function parse(text: string | undefined): readonly Login[] {
  try {
    const value: unknown = JSON.parse(text ?? "[]");
    return (Array.isArray(value) ? (value as readonly unknown[]) : []).flatMap((each) =>
      isRecord(each) && typeof each["url"] === "string" && typeof each["profile"] === "string"
        ? [{ url: each["url"], profile: each["profile"] }]
        : [],
    );
  } catch {
    return [];
  }
}
