import {
  toAnthropicTool,
  toGeminiFunction,
  toOpenAiChatTool,
  type NamedTool,
  type VendorChange,
} from "@tenon/host";
import type { Tool } from "@tenon/protocol";

import { usageError } from "../exit.ts";

/** A tool as a vendor of models gets it. */
export interface VendorTool {
  readonly tool: string;
  /** The definition for the vendor. */
  readonly converted: unknown;
  /** The changes to parts of the definition that the vendor rejects. */
  readonly changes: readonly Pick<VendorChange, "at" | "kind" | "message">[];
}

const vendors: Readonly<
  Record<string, typeof toAnthropicTool | typeof toGeminiFunction | typeof toOpenAiChatTool>
> = { openai: toOpenAiChatTool, anthropic: toAnthropicTool, gemini: toGeminiFunction };

/**
 * Converts tools for a vendor, and collects the changes that were necessary.
 *
 * @throws `CliError` for an unknown vendor.
 */
export function vendorTools(vendor: string, tools: readonly Tool[]): readonly VendorTool[] {
  const convert = Object.hasOwn(vendors, vendor) ? vendors[vendor] : undefined;
  if (convert === undefined) {
    const known = Object.keys(vendors).join(", ");
    throw usageError(`--vendor must be one of ${known}; got ${JSON.stringify(vendor)}.`, "--vendor openai");
  }
  return tools.map((tool) => {
    const changes: Pick<VendorChange, "at" | "kind" | "message">[] = [];
    const named: NamedTool = { server: "", name: tool.name, tool };
    const converted = convert(named, {
      onChange: ({ at, kind, message }) => void changes.push({ at, kind, message }),
    });
    return { tool: tool.name, converted, changes };
  });
}
