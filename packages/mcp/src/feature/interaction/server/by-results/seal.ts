import type { StateKey, StateKeys } from "../../../../request/server/interaction.ts";
import { fromBase64Url, toBase64Url } from "./base64url.ts";
import { checkStateKeys, isKeyId } from "./state-key.ts";

/** The result of decrypting a sealed string. */
export type Opened =
  | { readonly text: string }
  | { readonly refused: "malformed" | "unknown-key" }
  /** Changed, sealed in another context, or sealed with another secret under the same id. */
  | { readonly refused: "tampered"; readonly key: string };

/** Encrypts text for a round trip through someone who is not trusted. */
export interface Sealer {
  /** @param context - What the text is bound to: it opens in the same context only. */
  seal(text: string, context: string): Promise<string>;
  /** Never rejects because of a string from a peer. */
  open(sealed: string, context: string): Promise<Opened>;
}

/** `CryptoKey`, which not every platform names. */
type AesKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const prefix = "t1";
const nonceBytes = 12;
const tagBytes = 16;
const encoder = /* @__PURE__ */ new TextEncoder();

/**
 * Seals by AES-256-GCM with a random 96-bit nonce; the AES key is derived from the secret by
 * HKDF-SHA-256 (RFC 5869). The sealed form is
 * `t1.<key id>.<base64url of nonce, ciphertext and tag>`; version, key id and context are
 * authenticated with it. One key should encrypt fewer than 2³² strings.
 *
 * @param keys - The first encrypts, all of them decrypt. To rotate, put a new key first, and remove
 *   an old key when the states that it encrypted have expired. A function is called for every
 *   state. By default one random key of this process.
 * @throws `McpError` `INVALID_DEFINITION` for an id or secret that is not allowed; with a function,
 *   `seal` and `open` reject with it.
 */
export function createSealer(keys?: StateKeys): Sealer {
  const fixed = typeof keys === "function" ? undefined : keys;
  checkStateKeys(fixed);
  // Not before it is needed: some platforms have no random numbers at start-up.
  let own: readonly StateKey[] = [];
  const aesKeys = new Map<string, { readonly secret: StateKey["secret"]; readonly key: Promise<AesKey> }>();

  async function current(): Promise<readonly StateKey[]> {
    if (typeof keys !== "function") {
      return fixed ?? own;
    }
    const list = await keys();
    checkStateKeys(list);
    for (const [id, { secret }] of aesKeys) {
      if (!list.some((key) => key.id === id && key.secret === secret)) {
        aesKeys.delete(id);
      }
    }
    return list;
  }

  function keyOf({ id, secret }: StateKey): Promise<AesKey> {
    const found = aesKeys.get(id) ?? { secret, key: derive({ id, secret }) };
    aesKeys.set(id, found);
    return found.key;
  }

  return {
    async seal(text, context) {
      if (keys === undefined && own.length === 0) {
        own = [processKey()];
      }
      const [key = processKey()] = await current();
      const iv = crypto.getRandomValues(new Uint8Array(nonceBytes));
      const additionalData = boundTo(key.id, context);
      const cipher = await crypto.subtle.encrypt(
        { name: "AES-GCM", iv, additionalData },
        await keyOf(key),
        encoder.encode(text),
      );
      const bytes = new Uint8Array(nonceBytes + cipher.byteLength);
      bytes.set(iv);
      bytes.set(new Uint8Array(cipher), nonceBytes);
      return `${prefix}.${key.id}.${toBase64Url(bytes)}`;
    },
    async open(sealed, context) {
      const [version, id = "", body = "", ...rest] = sealed.split(".", 4);
      const bytes = version === prefix && rest.length === 0 ? fromBase64Url(body) : undefined;
      if (bytes === undefined || bytes.length < nonceBytes + tagBytes) {
        return { refused: "malformed" };
      }
      const key = (await current()).find((candidate) => candidate.id === id);
      if (key === undefined) {
        return { refused: isKeyId(id) ? "unknown-key" : "malformed" };
      }
      const iv = bytes.subarray(0, nonceBytes);
      const additionalData = boundTo(id, context);
      const aesKey = await keyOf(key);
      try {
        const plain = await crypto.subtle.decrypt(
          { name: "AES-GCM", iv, additionalData },
          aesKey,
          bytes.subarray(nonceBytes),
        );
        return { text: new TextDecoder().decode(plain) };
      } catch {
        return { refused: "tampered", key: id };
      }
    },
  };
}

function boundTo(id: string, context: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(`${prefix}.${id}.${context}`);
}

async function derive({ secret }: StateKey): Promise<AesKey> {
  const bytes = typeof secret === "string" ? encoder.encode(secret) : Uint8Array.from(secret);
  const base = await crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveKey"]);
  const info = encoder.encode("@tenon/mcp requestState");
  return crypto.subtle.deriveKey(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(32), info },
    base,
    { name: "AES-GCM", length: 256 },
    false,
    ["encrypt", "decrypt"],
  );
}

function processKey(): StateKey {
  const secret = crypto.getRandomValues(new Uint8Array(32));
  return { id: `process-${toBase64Url(crypto.getRandomValues(new Uint8Array(6)))}`, secret };
}
