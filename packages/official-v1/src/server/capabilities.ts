import { RpcError } from "@tenon/jsonrpc2/core";
import { McpErrorCode } from "@tenon/protocol";

/** The capabilities of a modern client as the official schema reads them: `{}` means forms. */
export function readCapabilities(declared: unknown): unknown {
  const { elicitation } = Object(declared) as { readonly elicitation?: unknown };
  return typeof elicitation === "object" && elicitation !== null && Object.keys(elicitation).length === 0
    ? { ...(declared as object), elicitation: { form: {} } }
    : declared;
}

/** The whole messages of the official server, each with the capability that the client lacks. */
const lacking: readonly (readonly [text: RegExp, capabilities: object])[] = [
  [/^sampling tools capability\.$/, { sampling: { tools: {} } }],
  [/^sampling \(required for [\w/]+\)$/, { sampling: {} }],
  [/^listing roots \(required for [\w/]+\)$/, { roots: {} }],
  [/^url elicitation\.$/, { elicitation: { url: {} } }],
  [/^form elicitation\.$/, { elicitation: { form: {} } }],
  [/^elicitation \(required for [\w/]+\)$/, { elicitation: {} }],
];
const prefix = "Client does not support ";

/** The modern error for a message of {@link lacking}, `undefined` for any other text. */
export function undeclared(text: unknown): RpcError | undefined {
  if (typeof text !== "string" || !text.startsWith(prefix)) {
    return undefined;
  }
  const found = lacking.find(([pattern]) => pattern.test(text.slice(prefix.length)));
  return (
    found &&
    new RpcError(McpErrorCode.MissingRequiredClientCapability, text, {
      data: { requiredCapabilities: found[1] },
    })
  );
}

/** The same for the result of a tool whose handler did not catch the error. */
export function undeclaredIn(result: unknown): RpcError | undefined {
  const { isError, content } = Object(result) as { readonly isError?: unknown; readonly content?: unknown };
  return isError === true && Array.isArray(content)
    ? undeclared((content[0] as { readonly text?: unknown } | undefined)?.text)
    : undefined;
}
