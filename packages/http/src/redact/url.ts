import { isRandom, isSecretParameter } from "./names.ts";
import { hidden, redactTokens } from "./tokens.ts";

/** An address in a string. */
const address = /(?<![a-z\d+.-])[a-z][a-z\d+.-]*:\/\/[^\s"'<>`\\]+/gi;
const parameter = /([?&#])([\w.%[\]-]{1,100})=([^&#\s"'<>`\\]*)/g;

/**
 * The address of a server as it may be shown: without user, with hidden values in its query and its
 * fragment, and without random words in its path. In any other string only tokens are hidden.
 */
export function redactUrl(url: string): string {
  if (!URL.canParse(url)) {
    return redactTokens(url);
  }
  const parsed = new URL(url);
  const path = redactTokens(parsed.pathname).replaceAll(/[\w+-]{20,}/g, (word) =>
    isRandom(word) ? hidden : word,
  );
  const { username, password, search, hash, pathname } = parsed;
  if (username === "" && password === "" && search === "" && hash === "" && path === pathname) {
    return url;
  }
  parsed.username = "";
  parsed.password = "";
  parsed.pathname = path;
  for (const name of new Set(parsed.searchParams.keys())) {
    parsed.searchParams.set(name, hidden);
  }
  parsed.hash = hash === "" ? "" : hidden;
  return parsed.href;
}

/**
 * Hides users, and parameters that are named like secrets, in the addresses and the queries of a
 * text. Everything else is unchanged.
 *
 * @param inside - Redacts the decoded value of a parameter, such as an address.
 */
export function redactUrlsIn(text: string, inside: (value: string) => string): string {
  return text
    .replaceAll(address, (url) =>
      url.replace(/^([^:]+:\/\/)([^/?#]*)@/, (whole, start: string, user: string) =>
        user === "git" ? whole : `${start}${hidden}@`,
      ),
    )
    .replaceAll(parameter, (whole, sign: string, name: string, value: string) => {
      if (value === "" || value === hidden) {
        return whole;
      }
      const decoded = decode(value);
      if (isSecretParameter(decode(name), decoded)) {
        return `${sign}${name}=${hidden}`;
      }
      const safe = decoded === value ? value : inside(decoded);
      return safe === decoded ? whole : `${sign}${name}=${encodeURIComponent(safe)}`;
    });
}

/** Decodes percent-encoding. Returns the string unchanged if it is not valid. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
