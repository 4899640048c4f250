import type { ResolvedInspectorLimits } from "../engine/limits.ts";

/**
 * The browsers that are logged in. A browser has a cookie, which its scripts cannot read, and a
 * key, which other ports of this machine do not get. Every request needs both.
 */
export interface Browsers {
  /** A new code for a link. It works once. */
  newCode(): string;
  /** A cookie and a key without a code, for a page in this process. */
  admit(): { readonly cookie: string; readonly key: string };
  /** Exchanges a code. `undefined` if it is unknown, used or too old. */
  exchange(code: string): { readonly cookie: string; readonly key: string } | undefined;
  /** Whether a request has the cookie and the key of one browser. */
  admits(headers: Headers): boolean;
}

/** The header of the key. Other sites cannot send it without permission, which is never given. */
export const keyHeader = "x-inspector-key";

/** The maximum number of codes that are not used yet. */
const maxCodes = 16;

/** Creates a table without browsers. `path`: the path of the cookie. */
export function createBrowsers({ maxBrowsers, codeTtlMs }: ResolvedInspectorLimits, path: string): Browsers {
  /** Cookies are shared by all ports of a host, so the name is not the same twice. */
  const name = `tenon_inspector_${secret().slice(0, 8)}`;
  const codes = new Map<string, number>();
  const keys = new Map<string, string>();
  const admit = (): { readonly cookie: string; readonly key: string } => {
    const token = secret();
    const key = secret();
    keys.set(token, key);
    dropOldest(keys, maxBrowsers);
    return { cookie: `${name}=${token}`, key };
  };

  return {
    admit,
    newCode() {
      const code = secret();
      codes.set(code, performance.now() + codeTtlMs);
      dropOldest(codes, maxCodes);
      return code;
    },
    exchange(code) {
      const expires = codes.get(code);
      codes.delete(code);
      if (expires === undefined || performance.now() > expires) {
        return undefined;
      }
      const { cookie, key } = admit();
      return { cookie: `${cookie}; Path=${path}; HttpOnly; SameSite=Strict`, key };
    },
    admits(headers) {
      const sent = headers.get("cookie")?.split("; ") ?? [];
      const token = sent.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
      const key = token === undefined ? undefined : keys.get(token);
      return key !== undefined && key === headers.get(keyHeader);
    },
  };
}

function dropOldest(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) {
      return;
    }
    map.delete(key);
  }
}

/** 256 random bits. Looking such a secret up in a table tells nothing by the time it takes. */
function secret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
