import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import type { Revision } from "@tenon/protocol";

import { rulesOf } from "../revisions/index.ts";

const maxName = 128;
const maxQuoted = 2048;
const maxShown = 200;

/**
 * Creates the error that a server returns for a call of a tool that it does not have. Middleware
 * that hides a tool throws it, so that clients cannot tell the two cases apart.
 *
 * @param name - As the client wrote it.
 */
export function unknownTool(name: string): RpcError {
  return new RpcError(ErrorCode.InvalidParams, `Unknown tool: ${name.slice(0, maxName)}`);
}

/**
 * Creates the error that a server returns for a prompt that it does not have.
 *
 * @param name - As the client wrote it.
 * @source R-554
 */
export function unknownPrompt(name: string): RpcError {
  return new RpcError(ErrorCode.InvalidParams, `Unknown prompt: ${name.slice(0, maxName)}`);
}

/**
 * Creates the error that a server returns for a resource or a template that it does not have.
 *
 * @param uri - As the client wrote it.
 * @param revision - The revision of the request, which determines the code.
 * @source, T-37
 */
export function resourceNotFound(uri: string, revision: Revision): RpcError {
  const shown = uri.length > maxShown ? `${uri.slice(0, maxShown)}…` : uri;
  return new RpcError(rulesOf(revision).resourceNotFound, `Resource not found: ${shown}`, {
    data: { uri: uri.slice(0, maxQuoted) },
  });
}
