import { isRecord } from "@tenon/base";

import { redactArguments } from "./arguments.ts";
import { isPrivatePart, isSecretHeader, isSecretOption, secrecyOf, type Secrecy } from "./names.ts";
import { redactPlain } from "./text.ts";
import { hidden } from "./tokens.ts";

/** Options of redaction. The built-in rules always apply; options add to them. */
export interface Redaction {
  /** Names of properties whose values are secret, at any depth. Case does not matter. */
  readonly keys?: readonly string[] | undefined;
  /**
   * Secret properties, as JSON pointers into a message, such as `/params/arguments/pin`. The
   * whole value is replaced.
   */
  readonly paths?: readonly string[] | undefined;
  /** Secret parts of strings. A pattern without the flag `g` replaces its first match only. */
  readonly patterns?: readonly RegExp[] | undefined;
}

/** Depth below which everything is hidden. Messages of other depths are not sent. */
const maxDepth = 500;
/** Size of base64 that is searched for text with secrets, in characters. */
const maxEncoded = 2_000_000;
/** Keywords that make an object below `properties` a schema. */
const schemaWords =
  /^(?:\$ref|type|enum|const|anyOf|oneOf|allOf|not|properties|items|format|description|title|default|examples|writeOnly|pattern|min|max|additionalProperties|x-)/;

/** The way in which a value is copied. `schema`: hides the examples in the schema of a secret. */
type Mode = "plain" | "secret" | "strings" | "schema";

/**
 * A function that copies a message, or any other value, without its secrets:
 *
 * - strings and numbers of properties, headers and variables that are named like secrets;
 * - users and parameters in addresses, options of commands, form bodies and cookies;
 * - the same in JSON inside of strings, and in text that is encoded as base64;
 * - `Bearer` and `Basic` credentials, tokens in the form of well-known services, private keys;
 * - everything that the options name.
 *
 * Names below `properties` of a schema are kept, as are booleans and `null`.
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

  function modeOf(name: string): Mode {
    const secrecy: Secrecy = keys.has(name.toLowerCase()) ? "all" : secrecyOf(name);
    return secrecy === "all" ? "secret" : secrecy === "strings" ? "strings" : "plain";
  }

  function text(value: string): string {
    const safe = json(value) ?? redactPlain(value.includes('"') ? embedded(value) : value);
    return patterns.reduce((rest, pattern) => rest.replace(pattern, hidden), safe);
  }

  /** JSON in a string. The string is unchanged if it has no secret. */
  function json(value: string): string | undefined {
    if (!/^\s*[[{]/.test(value) || !/[\]}]\s*$/.test(value)) {
      return undefined;
    }
    try {
      const parsed: unknown = JSON.parse(value);
      const safe = JSON.stringify(copy(parsed, "", "plain", 0));
      return safe === JSON.stringify(parsed) ? value : safe;
    } catch {
      return undefined;
    }
  }

  /** JSON at the end of lines that begin with words, as in logs and in messages of errors. */
  function embedded(value: string): string {
    return value
      .split("\n")
      .map((line) => {
        const start = line.search(/[[{]/);
        const end = Math.max(line.lastIndexOf("]"), line.lastIndexOf("}")) + 1;
        const safe = start === -1 || end <= start ? undefined : json(line.slice(start, end));
        return safe === undefined ? line : `${line.slice(0, start)}${safe}${line.slice(end)}`;
      })
      .join("\n");
  }

  function copy(value: unknown, path: string, mode: Mode, depth: number): unknown {
    if (paths.has(path) || depth > maxDepth) {
      return hidden;
    }
    if (typeof value === "string") {
      return mode === "secret" || mode === "strings" ? hideString(value) : text(value);
    }
    if (typeof value === "number" || typeof value === "bigint") {
      return mode === "secret" ? hidden : value;
    }
    if (Array.isArray(value)) {
      return list(value, path, mode, depth);
    }
    return isRecord(value) ? record(value, path, mode, depth) : value;
  }

  function list(value: readonly unknown[], path: string, mode: Mode, depth: number): unknown[] {
    const words = value.every((item) => typeof item === "string") && mode === "plain" ? value : undefined;
    const isCommand = words?.some((word) => /^-{1,2}[A-Za-z]/.test(word)) === true;
    const args =
      isCommand && words !== undefined
        ? redactArguments(words, (item) => copy(item, "", "plain", depth + 1))
        : undefined;
    return value.map((item, index) => {
      const at = `${path}/${index}`;
      if (Array.isArray(item) && item.length === 2 && typeof item[0] === "string") {
        // A header, or an entry of a map.
        const own = isSecretHeader(item[0]) ? "secret" : modeOf(item[0]);
        return [
          copy(item[0], `${at}/0`, mode, depth + 2),
          copy(item[1], `${at}/1`, own === "plain" ? mode : own, depth + 2),
        ];
      }
      const before: unknown = value[index - 1];
      const isValue = typeof before === "string" && typeof item === "string" && isPlainHeader(before);
      const kept: unknown = args === undefined || args[index] === item ? item : args[index];
      return isValue && mode === "plain" ? hidden : copy(kept, at, mode, depth + 1);
    });
  }

  function record(
    value: Readonly<Record<string, unknown>>,
    path: string,
    mode: Mode,
    depth: number,
  ): Record<string, unknown> {
    const named = nameIn(value);
    const isNamedSecret = named !== undefined && (isSecretHeader(named) || isSecretOption(named));
    const isKey = typeof value["kty"] === "string";
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        const at = `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
        if (name === "properties" && mode !== "secret" && isRecord(member) && isSchemaMap(member)) {
          return [name, paths.has(at) ? hidden : schemas(member, at, depth + 1)];
        }
        if (mode === "schema") {
          const isExample = /^(?:default|const|examples?)$/.test(name);
          return [text(name), copy(member, at, isExample ? "secret" : mode, depth + 1)];
        }
        if (mode === "plain" && (name === "blob" || name === "data") && typeof member === "string") {
          return [name, paths.has(at) ? hidden : encoded(member)];
        }
        const isValue = isNamedSecret && /^(?:values?|val|default)$/i.test(name);
        const own = isValue || (isKey && isPrivatePart(name)) ? "secret" : modeOf(name);
        return [text(name), copy(member, at, stricter(mode, own), depth + 1)];
      }),
    );
  }

  /** The schemas of properties. Names are kept; examples of a secret are hidden. */
  function schemas(
    value: Readonly<Record<string, unknown>>,
    path: string,
    depth: number,
  ): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(value).map(([name, schema]) => {
        const at = `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
        return [text(name), copy(schema, at, modeOf(name) === "secret" ? "schema" : "plain", depth + 1)];
      }),
    );
  }

  /** Base64 of a string with a secret is replaced by base64 of the redacted string. */
  function encoded(value: string): string {
    const plain = text(value);
    // Mail and programs of the command line write base64 in lines.
    if (plain !== value || value.length > maxEncoded || !/^[\w+/\s-]{16,}(?:=[=\s]*)?$/.test(value)) {
      return plain;
    }
    let decoded: string;
    try {
      const bytes = Uint8Array.from(atob(value.replaceAll("-", "+").replaceAll("_", "/")), (byte) =>
        byte.charCodeAt(0),
      );
      decoded = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      // It is not text.
      return value;
    }
    const safe = text(decoded);
    return safe === decoded ? value : base64Of(safe);
  }

  return (message) => copy(message, "", "plain", 0);
}

function stricter(outer: Mode, own: Mode): Mode {
  return outer === "secret" || (outer === "strings" && own === "plain") ? outer : own;
}

function base64Of(text: string): string {
  // A call with all bytes as its arguments exceeds the stack.
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""));
}

/** A string that is empty reveals nothing, and one that was hidden stays. */
function hideString(value: string): string {
  return value === "" ? value : hidden;
}

/** The name of an object that has a name and a value, such as a header in a list. */
function nameIn(value: Readonly<Record<string, unknown>>): string | undefined {
  for (const key of ["name", "key", "header", "field", "variable", "Name", "Key"]) {
    const name = value[key];
    if (typeof name === "string") {
      return name;
    }
  }
  return undefined;
}

/** Headers in a flat list, as Node has them: each name is followed by its value. */
function isPlainHeader(word: string): boolean {
  return /^(?:(?:proxy-)?authorization|(?:set-)?cookie|x-[\w-]*(?:key|token|secret|auth)|mcp-session-id)$/i.test(
    word,
  );
}

/** Whether an object has schemas as its values, as below `properties`. */
function isSchemaMap(value: Readonly<Record<string, unknown>>): boolean {
  return Object.values(value).every(
    (member) =>
      typeof member === "boolean" ||
      (isRecord(member) &&
        Object.keys(member).every(
          (name) => schemaWords.test(name) || name === "uniqueItems" || name.startsWith("$"),
        )) ||
      (isRecord(member) &&
        (typeof member["type"] === "string" || Array.isArray(member["type"])) &&
        !("value" in member)),
  );
}

const builtIn = /* @__PURE__ */ redactor();

/**
 * A text without its secrets: users and parameters in addresses, headers, options of commands, form
 * bodies, JSON, assignments of values to names of secrets, credentials, and tokens in the form of
 * well-known services. Sentences about secrets stay readable.
 */
export function redactText(text: string): string {
  return String(builtIn(text));
}

/**
 * As {@link redactText}, for the lines of one output in their order: a private key has many of
 * them.
 */
export function lineRedactor(): (line: string) => string {
  let isInKey = false;
  /** Whether the next empty line ends the head of a PGP key. */
  let isInHead = false;
  return (line) => {
    const begins = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----/.test(line);
    const ends = /-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----/.test(line);
    const isHidden = isInKey;
    const isEmpty = /^\s*$/.test(line);
    isInKey = (isInKey || begins) && !ends && (isInHead || !isEmpty);
    isInHead = begins ? line.includes("BLOCK") : isInHead && !isEmpty;
    return isHidden && !begins ? hidden : redactText(line);
  };
}
