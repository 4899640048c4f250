import { isRecord } from "@tenon/jsonrpc2/transport";

/** The replacement of a secret. */
export const hidden = "[redacted]";

/** Options of redaction. The built-in rules always apply; options add to them. */
export interface Redaction {
  /** Names of properties whose strings are secret, at any depth. Case does not matter. */
  readonly keys?: readonly string[] | undefined;
  /**
   * Secret properties, as JSON pointers into a message, such as `/params/arguments/pin`. The
   * whole value is replaced.
   */
  readonly paths?: readonly string[] | undefined;
  /** Secret parts of strings. A pattern without the flag `g` replaces its first match only. */
  readonly patterns?: readonly RegExp[] | undefined;
}

const secretName =
  /token|secret|passw(?:or)?d|passphrase|api[-_]?key|private[-_]?key|authorization|credential|cookie|bearer|^(?:pwd|jwt|pat|pin|otp)$/i;
/** Names that only look like the name of a secret. */
const publicName = /^(?:progressToken|.*Tokens)$/;

const bearer = /\b(Bearer|Basic)\s+[\w+/=.~-]{8,}/gi;
const knownToken =
  /\b(?:[rs]k[-_][\w-]{16,}|gh[opusr]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{10,}|A[KS]IA[A-Z0-9]{12,}|AIza[\w-]{30,}|hf_\w{20,}|npm_\w{20,}|eyJ[\w-]{8,}\.[\w-]+\.[\w-]*)/g;
const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;

/**
 * A function that copies a message without its secrets: strings of properties that are named like
 * secrets, tokens in the form of well-known services, `Bearer` and `Basic` credentials, private
 * keys, and whatever the options name. The names below `properties` of a JSON Schema are no
 * secrets.
 *
 * @throws `TypeError` for a path that is no JSON pointer.
 */
export function redactor(options: Redaction = {}): (message: unknown) => unknown {
  const keys = new Set(options.keys?.map((key) => key.toLowerCase()));
  const paths = new Set(options.paths);
  for (const path of paths) {
    if (!path.startsWith("/")) {
      throw new TypeError(`Expected a JSON pointer such as "/params/arguments/pin" in paths; got "${path}".`);
    }
  }
  const patterns = options.patterns ?? [];

  function isSecret(name: string): boolean {
    return keys.has(name.toLowerCase()) || (secretName.test(name) && !publicName.test(name));
  }

  function text(value: string): string {
    const known = value
      .replaceAll(privateKey, hidden)
      .replaceAll(bearer, `$1 ${hidden}`)
      .replaceAll(knownToken, hidden);
    return patterns.reduce((rest, pattern) => rest.replace(pattern, hidden), known);
  }

  function copy(value: unknown, path: string, secret: boolean, ofSchema: boolean): unknown {
    if (paths.has(path)) {
      return hidden;
    }
    if (typeof value === "string") {
      return secret ? hidden : text(value);
    }
    if (Array.isArray(value)) {
      return value.map((item, index) => copy(item, `${path}/${index}`, secret, false));
    }
    if (!isRecord(value)) {
      return value;
    }
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        text(name),
        copy(
          member,
          `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`,
          secret || (!ofSchema && isSecret(name)),
          name === "properties",
        ),
      ]),
    );
  }

  return (message) => copy(message, "", false, false);
}

/**
 * True if a string seems to contain a token of a well-known service, or a private key. A
 * recording that contains one is not fit to be committed.
 */
export function hasToken(text: string): boolean {
  return text.search(knownToken) >= 0 || text.search(privateKey) >= 0;
}
