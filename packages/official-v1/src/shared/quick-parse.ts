/**
 * The official package parses each message several times with zod. For messages of the usual form
 * this returns what zod would return, at a tenth of the time. Everything else, and so every error,
 * is left to zod.
 *
 * @packageDocumentation
 */

import {
  CallToolRequestSchema,
  CallToolResultSchema,
  JSONRPCMessageSchema,
  JSONRPCNotificationSchema,
  JSONRPCRequestSchema,
  JSONRPCResultResponseSchema,
  RELATED_TASK_META_KEY as relatedTask,
} from "mcp-sdk-1/types.js";

import { extendOnce } from "./internals.ts";

type Fields = Readonly<Record<string, unknown>>;
/** Returns the parsed value; `undefined` if zod has to look at it. */
type Quick = (value: unknown) => object | undefined;

/** The parts of a schema that are internal to zod. */
interface Schema {
  readonly _zod?: {
    run?(payload: Payload, context: { readonly direction?: string }): unknown;
  };
}

interface Payload {
  value: unknown;
}

function plain(value: unknown): Fields | undefined {
  if (typeof value !== "object" || value === null) {
    return undefined;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && !Object.hasOwn(value, "__proto__")
    ? (value as Fields)
    : undefined;
}

/** Whether an object has no other keys than these, and none of them with `undefined`. */
function hasOnly(value: Fields, ...names: readonly string[]): boolean {
  for (const name of Object.keys(value)) {
    if (!names.includes(name) || value[name] === undefined) {
      return false;
    }
  }
  return true;
}

const isToken = (value: unknown): boolean => typeof value === "string" || Number.isSafeInteger(value);

/** A `_meta` as zod orders it. */
function metaOf(value: unknown): object | undefined {
  const meta = plain(value);
  if (meta === undefined || relatedTask in meta) {
    return undefined;
  }
  const { progressToken } = meta;
  if (isToken(progressToken)) {
    return { progressToken, ...meta };
  }
  return "progressToken" in meta ? undefined : { ...meta };
}

/** An object with a `_meta` and anything else. */
function loose(value: unknown): object | undefined {
  const fields = plain(value);
  if (fields === undefined || !("_meta" in fields)) {
    return fields && { ...fields };
  }
  const { _meta, ...rest } = fields;
  const meta = metaOf(_meta);
  return meta && { _meta: meta, ...rest };
}

const request: Quick = (value) => {
  const message = plain(value);
  if (message === undefined || !hasOnly(message, "jsonrpc", "id", "method", "params")) {
    return undefined;
  }
  const { jsonrpc, id, method } = message;
  if (jsonrpc !== "2.0" || !isToken(id) || typeof method !== "string") {
    return undefined;
  }
  if (!("params" in message)) {
    return { jsonrpc, id, method };
  }
  const params = loose(message["params"]);
  return params && { jsonrpc, id, method, params };
};

const notification: Quick = (value) => {
  const message = plain(value);
  if (message === undefined || !hasOnly(message, "jsonrpc", "method", "params")) {
    return undefined;
  }
  const { jsonrpc, method } = message;
  if (jsonrpc !== "2.0" || typeof method !== "string") {
    return undefined;
  }
  if (!("params" in message)) {
    return { jsonrpc, method };
  }
  const params = loose(message["params"]);
  return params && { jsonrpc, method, params };
};

const resultResponse: Quick = (value) => {
  const message = plain(value);
  if (message === undefined || !hasOnly(message, "jsonrpc", "id", "result")) {
    return undefined;
  }
  const { jsonrpc, id } = message;
  const result = loose(message["result"]);
  return jsonrpc === "2.0" && isToken(id) && result ? { jsonrpc, id, result } : undefined;
};

const call: Quick = (value) => {
  const { method, params } = plain(value) ?? {};
  const fields = method === "tools/call" ? plain(params) : undefined;
  if (fields === undefined || typeof fields["name"] !== "string") {
    return undefined;
  }
  if (!hasOnly(fields, "name", "arguments", "_meta")) {
    return undefined;
  }
  const meta = "_meta" in fields ? metaOf(fields["_meta"]) : {};
  const args = "arguments" in fields ? plain(fields["arguments"]) : {};
  return meta && args
    ? {
        method,
        params: {
          ...("_meta" in fields ? { _meta: meta } : {}),
          name: fields["name"],
          ...("arguments" in fields ? { arguments: { ...args } } : {}),
        },
      }
    : undefined;
};

/** Content blocks of type `text` only: zod checks the formats of others. */
const callResult: Quick = (value) => {
  const result = plain(value);
  if (result === undefined || !hasOnly(result, "content", "structuredContent", "isError")) {
    return undefined;
  }
  const { content, structuredContent, isError } = result;
  const hasError = "isError" in result;
  if (!Array.isArray(content) || (hasError && typeof isError !== "boolean")) {
    return undefined;
  }
  const texts: object[] = [];
  for (const item of content) {
    const text = plain(item);
    if (text?.["type"] !== "text" || typeof text["text"] !== "string" || !hasOnly(text, "type", "text")) {
      return undefined;
    }
    texts.push({ type: "text", text: text["text"] });
  }
  const structured = "structuredContent" in result ? plain(structuredContent) : {};
  return (
    structured && {
      content: texts,
      ...("structuredContent" in result ? { structuredContent: { ...structured } } : {}),
      ...(hasError ? { isError } : {}),
    }
  );
};

/** The schemas that parse quickly. */
export const quick: readonly (readonly [Schema, Quick])[] = [
  [JSONRPCRequestSchema, request],
  [JSONRPCNotificationSchema, notification],
  [JSONRPCResultResponseSchema, resultResponse],
  [JSONRPCMessageSchema, (value) => request(value) ?? notification(value) ?? resultResponse(value)],
  [CallToolRequestSchema, call],
  [CallToolResultSchema, callResult],
];

/** The functions of zod that were replaced. */
export const slow: ReadonlyMap<Schema, (payload: Payload, context: object) => unknown> = extendOnce(
  CallToolRequestSchema,
  "quick-parse",
  () => {
    const replaced = new Map<Schema, (payload: Payload, context: object) => unknown>();
    for (const [schema, parse] of quick) {
      const internals = schema._zod;
      const run = internals?.run;
      if (internals === undefined || run === undefined) {
        continue;
      }
      replaced.set(schema, run);
      internals.run = (payload, context) => {
        const parsed = context.direction === "backward" ? undefined : parse(payload.value);
        if (parsed === undefined) {
          return run(payload, context);
        }
        payload.value = parsed;
        return payload;
      };
    }
    return replaced;
  },
);
