import { MetaKey, type ClientCapabilities } from "@tenon/protocol";

import type { InputCapabilities } from "../../request/client/options.ts";

/** Replaces the capabilities for input. */
export function withInputs(
  declared: ClientCapabilities,
  inputs: InputCapabilities | undefined,
): ClientCapabilities {
  if (inputs === undefined) {
    return declared;
  }
  const { elicitation: _, sampling: __, roots: ___, ...others } = declared;
  const { elicitation, sampling, roots } = inputs;
  const extensions = inputs.extensions && { ...declared.extensions, ...inputs.extensions };
  const given = { elicitation, sampling, roots, extensions };
  const own = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...others, ...Object.fromEntries(own) };
}

/**
 * The `_meta` of a request that declares other capabilities than its client.
 *
 * @param undeclared - An extension that the request does not declare.
 * @param inputs - The capabilities for input in place of the client's.
 */
export function declaring(
  meta: Readonly<Record<string, unknown>>,
  undeclared: string | undefined,
  inputs: InputCapabilities | undefined,
): Readonly<Record<string, unknown>> {
  const declared = withInputs(meta[MetaKey.clientCapabilities] ?? {}, inputs);
  if (undeclared === undefined) {
    return { ...meta, [MetaKey.clientCapabilities]: declared };
  }
  const { [undeclared]: _, ...extensions } = declared.extensions ?? {};
  return { ...meta, [MetaKey.clientCapabilities]: { ...declared, extensions } };
}
