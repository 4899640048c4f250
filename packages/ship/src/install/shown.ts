import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { isDeepStrictEqual } from "node:util";

import { isRecord } from "@tenon/base";
import { hidden } from "@tenon/http/redact";

import type { Form } from "./form.ts";

type Properties = Readonly<Record<string, unknown>>;

/**
 * An entry for display. Any value may be a secret, so the entry keeps only names of properties,
 * variables, headers and options, existing files, the package of `npx`, the command, and the server
 * of a URL with the usual words of its path.
 *
 * @param earlier - The replaced entry. Hidden values that differ from it are marked.
 */
export function shownEntry(
  form: Form,
  name: string,
  entry: Properties,
  earlier: Properties | undefined,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]) => {
      const before = earlier?.[key];
      if (key !== "args" || !Array.isArray(value)) {
        return [key, shownProperty(form, name, key, value, before)];
      }
      const program = entry["command"] ?? entry["cmd"];
      const earlierWords = Array.isArray(before) ? [undefined, ...(before as unknown[])] : before;
      return [key, shownWords([program, ...(value as unknown[])], earlierWords).slice(1)];
    }),
  );
}

function shownProperty(form: Form, name: string, key: string, value: unknown, earlier: unknown): unknown {
  const [outer, inner] = form.headersPath;
  if (value === null || typeof value === "boolean" || value === "" || value === form.defaults[key]) {
    return value;
  }
  switch (key) {
    case "type":
      return known.has(value) ? value : hide(value, earlier);
    case "name":
      return value === name ? value : hide(value, earlier);
    case "url":
    case "uri":
    case "serverUrl":
    case "httpUrl":
      return typeof value === "string" ? shownUrl(value, earlier) : hide(value, earlier);
    case "command":
    case "cmd":
      return Array.isArray(value) ? shownWords(value, earlier) : shownCommand(value, earlier);
    case form.envKey:
      return valuesHidden(value, earlier, (variable, text) => text === form.reference?.(variable));
    case form.variablesKey:
      return listShown(value, earlier, (each) => typeof each === "string" && /^[A-Za-z_]\w*$/.test(each));
    case outer: {
      const of = (options: unknown): unknown =>
        inner !== undefined && isRecord(options) ? options[inner] : undefined;
      return inner === undefined
        ? valuesHidden(value, earlier, () => false)
        : isRecord(value)
          ? valuesHidden(value, earlier, (each) => each === inner, {
              [inner]: valuesHidden(of(value), of(earlier), () => false),
            })
          : hide(value, earlier);
    }
    default:
      return listShown(value, earlier, (each) => each === "*");
  }
}

const known: ReadonlySet<unknown> = new Set([
  "stdio",
  "local",
  "http",
  "sse",
  "remote",
  "streamable-http",
  "streamable_http",
]);

function hide(value: unknown, earlier: unknown): string {
  return earlier === undefined || isDeepStrictEqual(value, earlier) ? hidden : `${hidden}: changed`;
}

function valuesHidden(
  value: unknown,
  earlier: unknown,
  isShown: (key: string, value: unknown) => boolean,
  instead: Properties = {},
): unknown {
  if (value === undefined || !isRecord(value)) {
    return value === undefined ? value : hide(value, earlier);
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      isShown(key, inner)
        ? (instead[key] ?? inner)
        : hide(inner, isRecord(earlier) ? earlier[key] : undefined),
    ]),
  );
}

function listShown(value: unknown, earlier: unknown, isShown: (each: unknown) => boolean): unknown {
  return Array.isArray(value)
    ? value.map((each: unknown, index) => (isShown(each) ? each : hide(each, itemOf(earlier, index))))
    : hide(value, earlier);
}

function itemOf(list: unknown, index: number): unknown {
  return Array.isArray(list) ? (list as unknown[])[index] : undefined;
}

/** A command is the name or the path of a program, unless it is a line of a shell. */
function shownCommand(value: unknown, earlier: unknown): unknown {
  return typeof value === "string" && (/^[\w@.+~\\/:-]+$/.test(value) || isFile(value))
    ? value
    : hide(value, earlier);
}

/** The words of a command line. */
function shownWords(words: readonly unknown[], earlier: unknown): readonly unknown[] {
  const named = packageIn(words);
  return words.map((word, index) => {
    const before = itemOf(earlier, index);
    if (index === 0) {
      return shownCommand(word, before);
    }
    if (typeof word !== "string" || word === "" || index === named || isFile(word)) {
      return typeof word === "string" ? word : hide(word, before);
    }
    const [, option] = /^(--[A-Za-z][\w-]*|-[A-Za-z])(?:=|$)/.exec(word) ?? [];
    const safe = hide(word, before);
    return option === word || word === "--" ? word : option === undefined ? safe : `${option}=${safe}`;
  });
}

/** The index of the package that a launcher such as `npx` starts. */
function packageIn(words: readonly unknown[]): number {
  const [command] = words;
  if (typeof command !== "string" || !/^(?:npx|bunx|pnpx|uvx)(?:\.cmd|\.exe)?$/.test(command)) {
    return -1;
  }
  const at = words.findIndex(
    (word, index) => index > 0 && !["-y", "--yes", "-q", "--quiet"].includes(String(word)),
  );
  return /^(?:@[\w.-]+\/)?[\w.-]+(?:@[\w.^~-]+)?$/.test(String(words[at])) ? at : -1;
}

function isFile(word: string): boolean {
  return isAbsolute(word) && existsSync(word);
}

/** The server of a URL, and the words of its path that most servers have. */
function shownUrl(value: string, earlier: unknown): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return hide(value, earlier);
  }
  const safe = hide(value, earlier);
  const path = url.pathname
    .split("/")
    .map((word) => (/^(?:mcp|sse|api|v\d)?$/.test(word) ? word : safe))
    .join("/");
  const user = url.username + url.password === "" ? "" : `${safe}@`;
  const more = url.search + url.hash === "" ? "" : `?${safe}`;
  return `${url.protocol}//${user}${url.host}${path}${more}`;
}
