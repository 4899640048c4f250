import type { Attributes } from "@opentelemetry/api";
import type { Network } from "@tenon/jsonrpc2";

import { Attribute } from "./names.ts";
import type { Captured, CaptureOptions, ReportedSession } from "./options.ts";

/** A message that is sent or received, as spans describe it. */
export interface Described {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly session: ReportedSession | undefined;
  /** The way to the remote peer, if it is known. */
  readonly network: Network | undefined;
  /** The revision in which the message is written. */
  readonly revision: string | undefined;
  /** The JSON-RPC ID, where middleware knows it. */
  readonly id?: string | number | undefined;
  /** The address of the client, for a server over HTTP. */
  readonly clientAddress?: string | undefined;
  /** Whether HTTP carried the message. */
  readonly isHttp: boolean;
}

const targetNames: Readonly<Record<string, string>> = {
  "tools/call": Attribute.tool,
  "prompts/get": Attribute.prompt,
};

/** Maximum length of a name, a URI or an ID in an attribute, in characters. */
const maxText = 1_024;

/** Maximum length of captured contents, in characters. */
const maxCaptured = 8_192;

/** The tool or the prompt that a message is about. */
export interface Target {
  /** The attribute that has the name. */
  readonly attribute: string;
  readonly name: string;
}

/** The tool or the prompt that a message is about; `undefined` for all other messages. */
export function targetOf({ method, params }: Pick<Described, "method" | "params">): Target | undefined {
  const attribute = Object.hasOwn(targetNames, method) ? targetNames[method] : undefined;
  return attribute !== undefined && typeof params["name"] === "string"
    ? { attribute, name: params["name"].slice(0, maxText) }
    : undefined;
}

/**
 * Attributes of spans and metrics: no value of them is chosen freely by a remote peer but the
 * target.
 */
export function sharedAttributes(message: Described, target: Target | undefined): Attributes {
  const { method, revision, network, isHttp } = message;
  return {
    [Attribute.method]: method,
    ...(target === undefined ? {} : { [target.attribute]: target.name }),
    ...(method === "tools/call" ? { [Attribute.operation]: "execute_tool" } : {}),
    ...(revision === undefined ? {} : { [Attribute.protocolVersion]: revision }),
    ...networkAttributes(isHttp ? { transport: "tcp", protocol: "http", ...network } : network),
  };
}

/** The attributes of a way to a remote peer. */
export function networkAttributes(network: Network | undefined): Attributes {
  if (network === undefined) {
    return {};
  }
  const { transport, protocol, address, port } = network;
  return {
    [Attribute.transport]: transport,
    ...(protocol === undefined ? {} : { [Attribute.protocol]: protocol }),
    ...(address === undefined ? {} : { [Attribute.serverAddress]: address }),
    ...(port === undefined ? {} : { [Attribute.serverPort]: port }),
  };
}

/** Attributes of spans only: there are too many values for metrics, or they are private. */
export function spanAttributes(
  { params, id, clientAddress }: Described,
  sessionId: string | undefined,
): Attributes {
  // Users and queries may contain what a fragment or a path seldom does: keys and personal data.
  const uri =
    typeof params["uri"] === "string"
      ? textOf(params["uri"].replace(/^([a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i, "$1…@").replace(/\?[^]*$/, "?…"))
      : undefined;
  const task = textOf(params["taskId"]);
  return {
    ...(id === undefined ? {} : { [Attribute.requestId]: String(id).slice(0, maxText) }),
    ...(uri === undefined ? {} : { [Attribute.resourceUri]: uri }),
    ...(task === undefined ? {} : { [Attribute.taskId]: task }),
    ...(clientAddress === undefined ? {} : { [Attribute.clientAddress]: clientAddress }),
    ...(sessionId === undefined ? {} : { [Attribute.sessionId]: sessionId }),
  };
}

/** The attribute of a task that a result announces. */
export function taskAttributes(result: unknown): Attributes {
  if (typeof result !== "object" || result === null) {
    return {};
  }
  const holder: unknown = "task" in result ? result.task : result;
  const id =
    typeof holder === "object" && holder !== null && "taskId" in holder ? textOf(holder.taskId) : undefined;
  return id === undefined ? {} : { [Attribute.taskId]: id };
}

/** The arguments of a tool, if they may be shown. */
export function capturedArguments(
  { method, params }: Described,
  target: string | undefined,
  capture: CaptureOptions | undefined,
): Attributes {
  return method === "tools/call" && capture?.arguments !== undefined
    ? captured(Attribute.toolArguments, () => capture.arguments?.(params["arguments"], { method, target }))
    : {};
}

/** The result of a tool, if it may be shown. */
export function capturedResult(
  { method, target }: Captured,
  result: unknown,
  capture: CaptureOptions | undefined,
): Attributes {
  return method === "tools/call" && capture?.results !== undefined
    ? captured(Attribute.toolResult, () => capture.results?.(result, { method, target }))
    : {};
}

/** A callback may return a value that JSON cannot represent. The span then shows nothing. */
function captured(name: string, show: () => unknown): Attributes {
  try {
    const text = JSON.stringify(show()) as string | undefined;
    return text === undefined ? {} : { [name]: text.slice(0, maxCaptured) };
  } catch {
    return {};
  }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" ? value.slice(0, maxText) : undefined;
