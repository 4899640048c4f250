/**
 * Additions to `@tenon/host` for Node: configuration files, and transports made from them.
 *
 * @packageDocumentation
 */

export { noAuth, staticToken } from "@tenon/transports-streamable-http/client";
export type { Dialect } from "./config/dialect.ts";
export {
  parseConfig,
  type Config,
  type ConfiguredServer,
  type ParseConfigOptions,
} from "./config/parse-config.ts";
export type { Syntax } from "./config/parse-text.ts";
export { redactSpec } from "./config/redact.ts";
export { selectServers, type Selection } from "./config/select.ts";
export { trustHash } from "./config/trust.ts";
export type { VariableSources } from "./config/variables.ts";
export { loadConfig } from "./node/load-config.ts";
export { nodeTransports, type NodeTransportOptions } from "./node/transports.ts";
