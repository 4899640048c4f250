import type { Summary } from "../wire/summary.ts";

/** Whether a line is shown. `answer` is the line that ended a request, if it has come. */
export type Matches = (line: Summary, answer: Summary | undefined) => boolean;

/** The names in the language of filters, with their meanings. */
export const filterNames: Readonly<Record<string, string>> = {
  tool: "the name of a tool",
  method: "a part of the method",
  subject: "a part of the name, URI or task",
  status: "ok, error, failed, input, login, open, cancelled or lost",
  era: "legacy or modern",
  kind: "request, response, notification, problem, http, auth or end",
  to: "server or client",
  id: "the ID of a request",
  connection: "the number of a connection",
  ms: "a time such as >100",
  bytes: "a size such as >1000",
};

/**
 * Reads a filter: words that all have to occur, `name:value`, and `-` in front of a word that
 * must not occur. Quotes keep spaces together. An empty filter shows all lines.
 */
export function parseFilter(text: string): Matches {
  const terms = [...text.matchAll(/-?(?:[a-z]+:)?(?:"[^"]*"?|[^\s"]+)/gi)].map(([term]) => termOf(term));
  return (line, answer) => terms.every((term) => term(line, answer));
}

function termOf(term: string): Matches {
  const negated = term.startsWith("-") && term.length > 1;
  const bare = negated ? term.slice(1) : term;
  const colon = bare.indexOf(":");
  const name = colon > 0 ? bare.slice(0, colon).toLowerCase() : "";
  const isKnown = Object.hasOwn(filterNames, name);
  const value = (isKnown ? bare.slice(colon + 1) : bare).replaceAll('"', "").toLowerCase();
  const matches = isKnown ? named(name, value) : anywhere(value);
  return negated ? (line, answer) => !matches(line, answer) : matches;
}

function anywhere(value: string): Matches {
  return ({ method, subject, preview, kind }) =>
    [method, subject, preview, kind].some((part) => part?.toLowerCase().includes(value) === true);
}

function named(name: string, value: string): Matches {
  switch (name) {
    case "tool":
      return ({ method, subject }) => method === "tools/call" && contains(subject, value);
    case "status":
      return (line, answer) => statusOf(line, answer) === value;
    case "ms":
      return ({ ms }, answer) => compares(ms ?? answer?.ms, value);
    case "bytes":
      return ({ bytes }) => compares(bytes, value);
    case "connection":
      return ({ connection }) => String(connection) === value;
    case "id":
      return ({ id }) => id?.replaceAll('"', "") === value;
    case "method":
    case "subject":
      return (line) => contains(line[name], value);
    default:
      return (line) => (line[name as "era" | "kind" | "to"] ?? "").startsWith(value);
  }
}

/** The status of a request or response as the filter names it. */
export function statusOf(line: Summary, answer: Summary | undefined): string {
  if (line.kind === "request" && answer?.kind !== "response") {
    return answer === undefined ? "open" : answer.kind === "notification" ? "cancelled" : "lost";
  }
  if (line.kind === "request") {
    return answer?.outcome ?? "ok";
  }
  return line.kind === "problem" ? "error" : (line.outcome ?? "");
}

function contains(text: string | undefined, value: string): boolean {
  return text?.toLowerCase().includes(value) === true;
}

function compares(number: number | undefined, value: string): boolean {
  const parsed = /^([<>]?)(\d+(?:\.\d+)?)$/.exec(value);
  if (number === undefined || parsed === null) {
    return false;
  }
  const bound = Number(parsed[2]);
  return parsed[1] === "<" ? number < bound : parsed[1] === ">" ? number > bound : number === bound;
}
