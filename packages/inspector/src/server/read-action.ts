import { isRecord } from "@tenon/base";

import {
  viewMethods,
  type Action,
  type Answer,
  type Approval,
  type SavedCall,
  type ViewMethod,
} from "../wire/action.ts";
import type { InputKind } from "../wire/state.ts";

const maxNameLength = 200;
const maxSaved = 500;
/** The length of a message to the model. */
const maxSaid = 100_000;

/** The server that a request of the page names; without one, the first. */
export function readServer(value: unknown): string | undefined {
  return isRecord(value) && typeof value["server"] === "string" ? value["server"] : undefined;
}

/**
 * Reads an action from a request of the page.
 *
 * @throws `TypeError` for any other value, with the expected one.
 */
export function readAction(value: unknown): Action {
  const body = record(value, "an action");
  const kind = body["do"];
  switch (kind) {
    case "call": {
      const { timeoutMs } = body;
      return {
        do: "call",
        call: text(body, "call"),
        method: text(body, "method"),
        params: record(body["params"] ?? {}, "params"),
        ...(typeof timeoutMs === "number" && timeoutMs >= 1 ? { timeoutMs } : {}),
      };
    }
    case "cancel":
      return { do: kind, call: text(body, "call") };
    case "answer":
      return {
        do: kind,
        question: text(body, "question"),
        answer: answerOf(body["answer"]),
        always: body["always"] === true,
      };
    case "ask":
      return { do: kind, kind: inputKind(body["kind"]) };
    case "roots":
      return { do: kind, roots: list(body["roots"], "roots").map(rootOf) };
    case "headers":
      return { do: kind, headers: record(body["headers"], "headers") as Record<string, string> };
    case "request":
      return { do: kind, method: viewMethod(body["method"]), params: record(body["params"] ?? {}, "params") };
    case "view":
      return { do: kind, uri: text(body, "uri", 10_000) };
    case "skill":
      return {
        do: kind,
        uri: text(body, "uri", 10_000),
        ...(body["path"] === undefined ? {} : { path: text(body, "path", 1000) }),
      };
    case "cors":
      return { do: kind, origin: text(body, "origin", 1000) };
    case "watch":
    case "unwatch":
      return { do: kind, uri: text(body, "uri", 10_000) };
    case "open": {
      const to = record(body["to"], "to");
      return { do: kind, to: "url" in to ? { url: webAddress(to) } : { id: text(to, "id", 10_000) } };
    }
    case "say":
      return { do: kind, text: text(body, "text", maxSaid) };
    case "approve":
      return { do: kind, call: text(body, "call"), approval: approvalOf(body["approval"]) };
    case "stop":
    case "forget":
    case "remove":
    case "servers":
    case "login":
    case "logout":
    case "connect":
    case "disconnect":
    case "clear":
    case "definitions":
    case "skills":
      return { do: kind };
    case "save":
      return { do: kind, saved: list(body["saved"], "saved").slice(0, maxSaved).map(savedCall) };
    default:
      throw new TypeError(
        `Expected an action such as "call" in "do"; got ${JSON.stringify(kind) ?? "nothing"}.`,
      );
  }
}

function answerOf(value: unknown): Answer {
  const { action, content } = record(value, "answer");
  if (action !== "accept" && action !== "decline" && action !== "cancel") {
    throw new TypeError('Expected "accept", "decline" or "cancel" in "action".');
  }
  return content === undefined ? { action } : { action, content: record(content, "content") };
}

function approvalOf(value: unknown): Approval {
  if (value !== "once" && value !== "always" && value !== "refuse") {
    throw new TypeError('Expected "once", "always" or "refuse" in "approval".');
  }
  return value;
}

function rootOf(value: unknown): { uri: string; name?: string } {
  const root = record(value, "a root");
  const uri = text(root, "uri", 10_000);
  return typeof root["name"] === "string" ? { uri, name: root["name"] } : { uri };
}

/** Reads a stored call. @throws `TypeError` for any other value. */
export function savedCall(value: unknown): SavedCall {
  const body = record(value, "a stored call");
  return { name: text(body, "name"), method: text(body, "method"), params: record(body["params"], "params") };
}

function webAddress(body: Record<string, unknown>): string {
  const url = text(body, "url", 10_000);
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new TypeError(
      `Expected a URL such as https://example.com/mcp; got ${JSON.stringify(url.slice(0, 100))}.`,
    );
  }
  return url;
}

function viewMethod(value: unknown): ViewMethod {
  const found = viewMethods.find((method) => method === value);
  if (found === undefined) {
    throw new TypeError(`Expected one of ${viewMethods.join(", ")} in "method".`);
  }
  return found;
}

function inputKind(value: unknown): InputKind {
  if (value !== "form" && value !== "url" && value !== "sampling") {
    throw new TypeError('Expected "form", "url" or "sampling" in "kind".');
  }
  return value;
}

function record(value: unknown, what: string): Record<string, unknown> {
  if (!isRecord(value)) {
    throw new TypeError(`Expected ${what} to be an object.`);
  }
  return value;
}

function list(value: unknown, what: string): unknown[] {
  if (!Array.isArray(value)) {
    throw new TypeError(`Expected ${what} to be a list.`);
  }
  return value;
}

function text(body: Record<string, unknown>, name: string, most = maxNameLength): string {
  const value = body[name];
  if (typeof value !== "string" || value === "" || value.length > most) {
    throw new TypeError(`Expected a string of 1 to ${most} characters in ${JSON.stringify(name)}.`);
  }
  return value;
}
