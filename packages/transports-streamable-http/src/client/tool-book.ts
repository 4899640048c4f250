import { isRecord } from "@tenon/base";
import type { HeaderParameter } from "@tenon/protocol";

import { encodeHeaderValue } from "../shared/header-value.ts";
import { HeaderName } from "../shared/names.ts";
import { paramHeadersOf, valueAt } from "../shared/param-headers.ts";

/**
 * Tools beyond this number are forgotten again, oldest first; their calls carry no `Mcp-Param-*`
 * headers.
 */
const maxTools = 10_000;
/** Maximum number of tools per list that each get their own warning. */
const maxWarnings = 20;

interface KnownTool {
  readonly headers: readonly HeaderParameter[];
  /** The server declares that calling the tool twice is harmless. */
  readonly repeatable: boolean;
}

/** The facts about tools in received lists that matter for HTTP. */
export class ToolBook {
  readonly #tools = new Map<string, KnownTool>();
  readonly #onWarning: (message: string) => void;

  constructor(onWarning: (message: string) => void) {
    this.#onWarning = onWarning;
  }

  /**
   * Notes the tools of a `tools/list` result.
   *
   * @param modern - Leave tools out whose annotations are invalid.
   * @returns The result, without those tools.
   * @source R-320
   */
  note(result: unknown, modern: boolean): unknown {
    if (!isRecord(result) || !Array.isArray(result["tools"])) {
      return result;
    }
    const listed: readonly unknown[] = result["tools"];
    let warnings = 0;
    const warn = (message: string): void => {
      if (++warnings <= maxWarnings) {
        this.#onWarning(message);
      }
    };
    const tools = listed.filter((tool) => this.#noteTool(tool, modern, warn));
    if (warnings > maxWarnings) {
      this.#onWarning(`${warnings - maxWarnings} more tools of the same list are left out.`);
    }
    return tools.length === listed.length ? result : { ...result, tools };
  }

  /** The `Mcp-Param-*` headers of a call. @source R-321 */
  headersFor(name: unknown, args: unknown): Readonly<Record<string, string>> | undefined {
    const headers = typeof name === "string" ? this.#tools.get(name)?.headers : undefined;
    if (headers === undefined || headers.length === 0) {
      return undefined;
    }
    const fields: Record<string, string> = {};
    for (const header of headers) {
      const value = valueAt(args, header.path);
      if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
        fields[HeaderName.paramPrefix + header.name.toLowerCase()] = encodeHeaderValue(String(value));
      }
    }
    return fields;
  }

  /** Whether a tool may be called again without asking. */
  isRepeatable(name: unknown): boolean {
    return typeof name === "string" && this.#tools.get(name)?.repeatable === true;
  }

  #noteTool(tool: unknown, modern: boolean, warn: (message: string) => void): boolean {
    if (!isRecord(tool) || typeof tool["name"] !== "string") {
      return true;
    }
    const { name, inputSchema, annotations } = tool;
    const { parameters: headers = [], problem } = isRecord(inputSchema)
      ? paramHeadersOf(inputSchema)
      : { parameters: [] };
    if (problem !== undefined && modern) {
      warn(`The tool ${JSON.stringify(name.slice(0, 128))} is left out: ${problem}.`);
      this.#tools.delete(name);
      return false;
    }
    const hints = isRecord(annotations) ? annotations : {};
    const repeatable = hints["readOnlyHint"] === true || hints["idempotentHint"] === true;
    this.#tools.delete(name);
    this.#tools.set(name, { headers: modern ? headers : [], repeatable });
    if (this.#tools.size > maxTools) {
      this.#tools.delete(this.#tools.keys().next().value ?? name);
    }
    return true;
  }
}
