import type { RemoteSpec, StdioSpec } from "@tenon/host";

import type { Invocation } from "../command/invocation.ts";
import { chosenProxy } from "./proxy.ts";

/** The spec of a server, in which the options of the command take precedence. */
export function chosenSpec(invocation: Invocation, spec: StdioSpec | RemoteSpec): StdioSpec | RemoteSpec {
  const maxMessageBytes = invocation.flags.integer("max-message-bytes", 1) ?? spec.limits?.maxMessageBytes;
  const limits = { ...spec.limits, ...(maxMessageBytes === undefined ? {} : { maxMessageBytes }) };
  return spec.type === "stdio"
    ? { ...spec, limits }
    : { ...spec, limits, proxy: chosenProxy(invocation, spec.proxy) };
}
