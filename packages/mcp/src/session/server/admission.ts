import { methodNotFound } from "@tenon/jsonrpc2/core";

import { undeclaredExtension } from "../../feature/extensions/server/undeclared.ts";
import { hasCapability } from "../../request/capabilities.ts";
import type { InnerServerRequest } from "../../request/server/request.ts";
import type { ServerDefinition } from "./definition.ts";

/**
 * Accepts or rejects a request. The method table of the request's protocol version must contain the
 * method, and the capability that it requires must be declared, now or in this session's
 * `initialize`.
 *
 * @throws `RpcError` `-32601`; `-32021` for a method of an extension that a modern client has not
 *   declared.
 * @source
 */
export function admit(definition: ServerDefinition, request: InnerServerRequest): void {
  const { rules, method, session } = request;
  const { methods, declaration } = definition;
  const info = rules.methods[method];
  if (info?.kind !== "request" || info.embedded === true || !methods.has(method)) {
    admitExtension(definition, request);
    return;
  }
  const path = info.requires?.server;
  if (path === undefined || declaration.declares(path)) {
    return;
  }
  const wasTold = rules.era === "legacy" && hasCapability(session?.capabilities ?? {}, path);
  if (!wasTold) {
    throw methodNotFound(method, `it needs the capability ${path}, which this server does not declare`);
  }
}

function admitExtension({ extensions }: ServerDefinition, request: InnerServerRequest): void {
  const { method, client, rules } = request;
  const custom = extensions.get(method, rules.era)?.definition;
  if (custom?.kind !== "request") {
    throw methodNotFound(method);
  }
  if (!extensions.isActive(custom.extension, client.capabilities)) {
    throw undeclaredExtension(custom.extension ?? "", request);
  }
}
