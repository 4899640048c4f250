import { kindOf } from "@tenon/base";
import type { ServerRequest, StateKey, StateKeys } from "@tenon/mcp/server";

/** Binds the ids of tasks to the principals that started them. */
export interface TaskSeal {
  /** The id for the sender of a request. */
  seal(id: string, request: ServerRequest): Promise<string>;
  /** The id at the source; `undefined` if the sender of the request did not get it. */
  open(sealed: string, request: ServerRequest): Promise<string | undefined>;
}

/** The length of a mark: 128 bits in base64url. */
const markLength = 22;

/**
 * Creates a seal. A server behind a proxy sees the proxy as the owner of all tasks, so the proxy
 * checks who may use an id.
 *
 * @param stateKeys - The secrets. By default a random one, so that ids are valid in this process.
 */
export function createTaskSeal(stateKeys: StateKeys | undefined): TaskSeal {
  const random = crypto.getRandomValues(new Uint8Array(32));
  const keys = new Map<string, Promise<CryptoKey>>();

  async function secrets(): Promise<readonly (string | Uint8Array)[]> {
    if (stateKeys === undefined) {
      return [random];
    }
    const given: unknown = typeof stateKeys === "function" ? await stateKeys() : stateKeys;
    const keys = Array.isArray(given) ? (given as readonly Partial<StateKey>[]) : [];
    if (keys.length === 0) {
      throw new TypeError(
        `stateKeys must return a list with at least one key; got ${Array.isArray(given) ? "an empty list" : kindOf(given)}.`,
      );
    }
    return keys.map(({ secret = "" }) => secret);
  }

  function keyOf(secret: string | Uint8Array): Promise<CryptoKey> {
    const bytes = typeof secret === "string" ? new TextEncoder().encode(secret) : secret;
    const name = String(bytes);
    const key =
      keys.get(name) ??
      crypto.subtle.importKey("raw", new Uint8Array(bytes), { name: "HMAC", hash: "SHA-256" }, false, [
        "sign",
      ]);
    // Keys rotate rarely.
    if (keys.size >= maxKeys) {
      keys.clear();
    }
    keys.set(name, key);
    return key;
  }

  async function markOf(secret: string | Uint8Array, id: string, request: ServerRequest): Promise<string> {
    const text = JSON.stringify(["task", request.auth?.principal ?? null, id]);
    const signed = await crypto.subtle.sign("HMAC", await keyOf(secret), new TextEncoder().encode(text));
    const chars = String.fromCharCode(...new Uint8Array(signed).subarray(0, 16));
    return btoa(chars).replaceAll("+", "-").replaceAll("/", "_").slice(0, markLength);
  }

  return {
    async seal(id, request) {
      const [newest = random] = await secrets();
      return `${await markOf(newest, id, request)}.${id}`;
    },
    async open(sealed, request) {
      const mark = sealed.slice(0, markLength);
      const id = sealed.slice(markLength + 1);
      for (const secret of await secrets()) {
        if (sealed[markLength] === "." && isEqual(mark, await markOf(secret, id, request))) {
          return id;
        }
      }
      return undefined;
    },
  };
}

const maxKeys = 16;

/** Compares without telling by its time where two marks differ. */
function isEqual(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let index = 0; index < markLength; index++) {
    difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  }
  return difference === 0;
}
