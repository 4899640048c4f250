/**
 * Tools for tests of authorization: a scripted authorization server and an MCP server behind it, in
 * one process and in virtual time.
 *
 * @packageDocumentation
 */

export { type IssuedAccess, type Issuer, type IssuerOptions } from "./testing/issuer.ts";
export { type Reaction, type ReceivedRequest, type Script, type ScriptedStep } from "./testing/script.ts";
export {
  createScriptedAuthorization,
  type CallOptionsOfScript,
  type ScriptedAuthorization,
  type ScriptedBrowser,
  type ScriptedOptions,
} from "./testing/scripted-server.ts";
export {
  createSharedStore,
  type ProcessStore,
  type SharedStore,
  type StoreFault,
} from "./testing/shared-store.ts";
