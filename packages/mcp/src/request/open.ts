/**
 * Interfaces to which extensions add properties, by declaration merging:
 *
 * `declare module "@tenon/mcp" { interface ToolExtensionOptions { priority?: number } }`.
 */

/**
 * Properties of a tool's definition that extensions define: see
 * `ServerExtensionHost.addToolOption`.
 */
export interface ToolExtensionOptions {}

/**
 * Options of a client's requests that extensions define: see `ClientExtensionHost.addRequestHook`.
 */
export interface RequestExtensionOptions {}

/**
 * Options of a server's requests to clients that extensions define: see
 * `ServerExtensionHost.addCallHook`.
 */
export interface InputExtensionOptions {}

/** Properties of a handler's context that extensions define: see `ServerRequest.with`. */
export interface ContextExtensionProperties {}

/**
 * Properties of a client session that extensions define: see
 * `ClientExtensionHost.addSessionProperty`.
 */
export interface SessionExtensionProperties {}
