import { fromBase64url, toBase64url } from "../shared/base64url.ts";

/** Makes and checks nonces that need no memory: a time and its MAC. */
export interface Nonces {
  create(): Promise<string>;
  isValid(nonce: string): Promise<boolean>;
}

const timeBytes = 6;
const macBytes = 16;

/**
 * Makes nonces.
 *
 * @param secret - At least 32 bytes, the same for all instances of a server. By default it is
 *   random.
 * @param ttlMs - How long a nonce is valid, in milliseconds.
 */
export function createNonces(secret: Uint8Array | undefined, ttlMs: number): Nonces {
  const bytes = Uint8Array.from(secret ?? crypto.getRandomValues(new Uint8Array(32)));
  let key: ReturnType<typeof crypto.subtle.importKey> | undefined;

  async function sign(time: Uint8Array): Promise<Uint8Array> {
    key ??= crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    const mac = await crypto.subtle.sign("HMAC", await key, Uint8Array.from(time));
    return new Uint8Array(mac).subarray(0, macBytes);
  }

  return {
    async create() {
      const time = new Uint8Array(timeBytes);
      let rest = Date.now();
      for (let at = timeBytes - 1; at >= 0; at--) {
        time[at] = rest % 256;
        rest = Math.floor(rest / 256);
      }
      return toBase64url(Uint8Array.from([...time, ...(await sign(time))]));
    },
    async isValid(nonce) {
      const received = fromBase64url(nonce);
      if (received?.length !== timeBytes + macBytes) {
        return false;
      }
      const time = received.subarray(0, timeBytes);
      const expected = await sign(time);
      // Every byte is compared, so that the duration does not depend on the position of the first
      // difference.
      const difference = expected.reduce(
        (sum, byte, at) => sum | (byte ^ (received[timeBytes + at] ?? 0)),
        0,
      );
      const age = Date.now() - time.reduce((sum, byte) => sum * 256 + byte, 0);
      return difference === 0 && age >= -1000 && age < ttlMs;
    },
  };
}
