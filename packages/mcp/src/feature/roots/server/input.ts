import { isRecord } from "@tenon/base";
import type { Root } from "@tenon/protocol";

import { McpError } from "../../../base/error.ts";
import type { Input, InputClient } from "../../../request/input.ts";
import { requireCapability } from "../../interaction/server/require.ts";

const method = "roots/list";

/** The input request for the client's roots. @throws `McpError` `CAPABILITY_MISSING`. */
export function rootsInput({ rules, client }: InputClient): Input<readonly Root[]> {
  requireCapability(client.capabilities, { method, rules });
  return { method, params: {}, read: readRoots };
}

function readRoots(answer: unknown): readonly Root[] {
  const roots = isRecord(answer) ? answer["roots"] : undefined;
  if (!Array.isArray(roots) || !roots.every((root) => isRecord(root) && typeof root["uri"] === "string")) {
    throw new McpError(
      "INVALID_RESULT",
      "Invalid roots/list result: roots must be an array of objects with a string uri.",
    );
  }
  return roots as readonly Root[];
}
