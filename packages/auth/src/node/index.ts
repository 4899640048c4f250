/**
 * OAuth for MCP clients on Node: a receiver for authorization responses, a store in files, the
 * user's browser, and a `fetch` that connects to public addresses only.
 *
 * @packageDocumentation
 */

export { fileStore, type FileStoreLimits, type FileStoreOptions } from "./file-store.ts";
export type { Keychain } from "./keychain.ts";
export { loopbackReceiver, type LoopbackLimits, type LoopbackOptions } from "./loopback.ts";
export { oauthFor, type OAuthForOptions } from "./oauth-for.ts";
export { openBrowser, openBrowserByFile } from "./open-browser.ts";
export { publicFetch, type PublicFetchOptions } from "./public-fetch.ts";
