import { isRecord } from "@tenon/base";

import { startOf } from "./brief.ts";

/** The properties of parameters that name the subject of a message. The first is used. */
const naming = ["name", "uri", "taskId", "level", "message", "protocolVersion", "progress", "requestId"];

/** The name of a tool or prompt, a URI, or the ID of a task. At most 120 characters. */
export function subjectOf(method: string, params: unknown): string | undefined {
  if (!isRecord(params)) {
    return undefined;
  }
  if (method === "completion/complete" && isRecord(params["ref"])) {
    return textOf(params["ref"]["name"] ?? params["ref"]["uri"]);
  }
  if (method === "notifications/progress") {
    const { progress, total } = params;
    return `${textOf(progress) ?? "?"}${total === undefined ? "" : ` of ${textOf(total) ?? "?"}`}`;
  }
  return textOf(naming.map((name) => params[name]).find((value) => value !== undefined));
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? startOf(String(value), 120) : undefined;
}
