import { randomBytes } from "node:crypto";

/** The cookies of the broker: random values. */
export interface Cookies {
  /** The value of a cookie; `undefined` if the browser has none, or two. */
  read(headers: Readonly<Record<string, string | undefined>>, name: CookieName): string | undefined;
  /** The header that sets a cookie. */
  write(name: CookieName, value: string, maxAgeMs: number): readonly [string, string];
}

/** `browser` binds logins to a browser, `session` tells who is logged in. */
export type CookieName = "browser" | "session";

/** Creates the cookies of an issuer. */
export function createCookies(isSecure: boolean): Cookies {
  // Other hosts of the domain cannot set a cookie with this prefix.
  const prefix = isSecure ? "__Host-tenon-" : "tenon-broker-";
  return {
    read(headers, name) {
      const own = `${prefix}${name}=`;
      const found = (headers["cookie"] ?? "")
        .split(/; */)
        .filter((one) => one.startsWith(own))
        .map((one) => one.slice(own.length));
      return found.length === 1 && /^[\w-]{43}$/.test(found[0] ?? "") ? found[0] : undefined;
    },
    write: (name, value, maxAgeMs) => [
      "set-cookie",
      `${prefix}${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${Math.floor(maxAgeMs / 1000)}${isSecure ? "; Secure" : ""}`,
    ],
  };
}

/** A random value of 43 characters. */
export function randomId(): string {
  return randomBytes(32).toString("base64url");
}
