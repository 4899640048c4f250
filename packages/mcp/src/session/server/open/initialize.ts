import { isRecord } from "@tenon/base";
import type { Scope } from "@tenon/jsonrpc2";
import type { InitializeResult, ServerCapabilities } from "@tenon/protocol";

import { onlyFields } from "../../../base/values.ts";
import type { ServerDefinition } from "../definition.ts";
import { initializeResult, shakeHands, type Handshake } from "./handshake.ts";

/** The outcome of `initialize` on the server. */
export interface Initialized {
  readonly handshake: Handshake;
  /** The capabilities that the server declared in its result. */
  readonly capabilities: ServerCapabilities;
  readonly result: InitializeResult;
}

/**
 * Handles `initialize`.
 *
 * @param hasSession - Without a session the server can send nothing later, so it declares neither
 *   `listChanged` nor `subscribe`.
 * @throws `RpcError`: see {@link shakeHands}.
 */
export function initialize(scope: Scope, definition: ServerDefinition, hasSession: boolean): Initialized {
  const { declaration, info: serverInfo, instructions, revisions, tolerate } = definition;
  const handshake = shakeHands((scope.params ?? {}) as Record<string, unknown>, revisions, tolerate);
  const { rules } = handshake;
  const declared = onlyFields(declaration.capabilities(rules), rules.serverCapabilities);
  const capabilities = hasSession ? declared : withoutChanges(declared);
  return {
    handshake,
    capabilities,
    result: initializeResult(rules, { capabilities, serverInfo, instructions }),
  };
}

function withoutChanges(declared: ServerCapabilities): ServerCapabilities {
  const { tools, prompts, resources } = declared;
  const lists = Object.entries({ tools, prompts, resources }).filter(([, value]) => isRecord(value));
  return { ...declared, ...Object.fromEntries(lists.map(([name, value]) => [name, onlyStatic(value)])) };
}

function onlyStatic(capability: object | undefined): object {
  const entries = Object.entries(capability ?? {});
  return Object.fromEntries(entries.filter(([name]) => name !== "listChanged" && name !== "subscribe"));
}
