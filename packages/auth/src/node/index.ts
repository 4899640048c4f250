/**
 * OAuth for MCP clients on Node: a receiver for authorization responses, a store in files, and the
 * user's browser.
 *
 * @packageDocumentation
 */

export { fileStore, type FileStoreOptions } from "./file-store.ts";
export type { Keychain } from "./keychain.ts";
export { loopbackReceiver, type LoopbackLimits, type LoopbackOptions } from "./loopback.ts";
export { oauthFor, type OAuthForOptions } from "./oauth-for.ts";
export { openBrowser } from "./open-browser.ts";
