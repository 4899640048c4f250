import { isRecord, type ResolvedLimits } from "@tenon/base";
import type { Peer } from "@tenon/jsonrpc2";
import { LocalError } from "@tenon/jsonrpc2/core";
import type { CallToolResult, Tool } from "@tenon/protocol";

import { AppError } from "../wire/error.ts";
import type { ViewBridge } from "./bridge.ts";
import { isContent } from "./content.ts";
import type { ViewBridgeLimits } from "./options.ts";

const namePattern = /^[A-Za-z0-9_.-]{1,128}$/;

/** Returns the functions of a bridge that use the tools of its view. */
export function viewTools(
  peer: Peer,
  capabilities: () => Readonly<Record<string, unknown>> | undefined,
  { maxTools, maxResultBytes }: ResolvedLimits<ViewBridgeLimits>,
): Pick<ViewBridge, "listTools" | "callTool"> {
  const call = async (
    method: string,
    params: object,
    signal: AbortSignal | undefined,
  ): Promise<Record<string, unknown>> => {
    if (!isRecord(capabilities()?.["tools"])) {
      throw new AppError("CAPABILITY_MISSING", `The view must declare tools to handle ${method}.`);
    }
    const result: unknown = await peer.call(method, params, { signal });
    const size = new TextEncoder().encode(JSON.stringify(result)).length;
    if (size > maxResultBytes) {
      const message = `The view sent ${size} bytes for ${method}, above limits.maxResultBytes (${maxResultBytes}).`;
      throw new LocalError("LIMIT_EXCEEDED", message);
    }
    return isRecord(result) ? result : refuse(method, "an object");
  };
  return {
    async listTools({ signal } = {}) {
      const tools: Tool[] = [];
      let cursor: unknown;
      do {
        const page = await call("tools/list", cursor === undefined ? {} : { cursor }, signal);
        const items: unknown = page["tools"];
        if (!Array.isArray(items) || !items.every(isTool)) {
          return refuse("tools/list", "tools with a name and a schema");
        }
        tools.push(...items);
        if (tools.length > maxTools || (items.length === 0 && page["nextCursor"] !== undefined)) {
          return refuse("tools/list", `at most ${maxTools} tools (limits.maxTools), and no empty pages`);
        }
        cursor = page["nextCursor"];
      } while (typeof cursor === "string");
      return tools;
    },
    async callTool(params, { signal } = {}) {
      const result = await call("tools/call", params, signal);
      return isContent(result["content"])
        ? (result as unknown as CallToolResult)
        : refuse("tools/call", "a list of content blocks");
    },
  };
}

function isTool(value: unknown): value is Tool {
  if (!isRecord(value) || typeof value["name"] !== "string" || !namePattern.test(value["name"])) {
    return false;
  }
  const { inputSchema, description } = value;
  const isText = description === undefined || typeof description === "string";
  return isText && isRecord(inputSchema) && inputSchema["type"] === "object";
}

function refuse(method: string, expected: string): never {
  throw new AppError("INVALID_MESSAGE", `The view must respond to ${method} with ${expected}.`);
}
