import type { CallToolResult } from "@tenon/protocol";

import { McpError } from "../../base/error.ts";
import type { ExtensionHeader } from "../../feature/extensions/define.ts";
import { extending } from "../../feature/extensions/registry.ts";
import { undeclaredExtension } from "../../feature/extensions/server/undeclared.ts";
import { publicError } from "../../feature/interaction/server.ts";
import { asking } from "../../feature/interaction/server/ask.ts";
import { unknownTool } from "../../feature/not-found.ts";
import { listenKey } from "../../feature/subscriptions/server/extension-fields.ts";
import { callTool, runTool } from "../../feature/tools/server/call.ts";
import { addToolOption } from "../../feature/tools/server/options.ts";
import type { NotificationDefinition } from "../../request/extension.ts";
import type { Input } from "../../request/input.ts";
import type { RequestContext } from "../../request/server/context.ts";
import type { ServerExtensionHost } from "../../request/server/extension.ts";
import { isTaken, rulesOf } from "../../revisions/index.ts";
import type { ServerParts } from "./assemble.ts";

/** Makes the interface of a server for one of its extensions. */
export function hostServerExtension<S>(
  { id, eras }: ExtensionHeader,
  { definition, tools, extensionFields }: ServerParts,
): ServerExtensionHost<S> {
  const { extensions, methods, hooks, clock, onError } = definition;
  const settingsOf = ({ client, revision }: RequestContext): S | undefined =>
    eras?.includes(rulesOf(revision).era) === false
      ? undefined
      : (extensions.settingsOf(id, client.capabilities) as S | undefined);
  const requireExtension = (context: RequestContext): void => {
    if (settingsOf(context) === undefined) {
      throw undeclaredExtension(id, { method: context.method, rules: rulesOf(context.revision) });
    }
  };
  // Notifications of one extension keep their order, whatever their validation takes.
  let publishing = Promise.resolve();
  return {
    clock,
    onError,
    settingsOf,
    requireExtension,
    handle: (method, handler) => {
      if (!isTaken(method) || methods.has(method)) {
        const message = `${id} can handle ${method} only if the protocol has it and the server does not handle it.`;
        throw new McpError("INVALID_DEFINITION", message);
      }
      methods.set(method, (params, request) =>
        Object.hasOwn(request.rules.methods, method)
          ? handler(params, request)
          : extensions.get(method)?.handle(params, request),
      );
    },
    addCapability: (name, value) => {
      if (!definition.declaration.add(name, value)) {
        throw new McpError("INVALID_DEFINITION", `The capability ${name} is declared by the server itself.`);
      }
    },
    addFilter: (field, filter) => {
      if (extensionFields.fields.has(field)) {
        throw new McpError("INVALID_DEFINITION", `The filter field ${field} is defined already.`);
      }
      extensionFields.fields.set(field, { ...filter, require: requireExtension });
    },
    publish: (field, value, notification: NotificationDefinition, params) => {
      const key = listenKey(field, value);
      if (!extensionFields.listening.has(key)) {
        return;
      }
      const { method } = notification;
      const encoded = Promise.resolve(
        extending.use(({ encodeParams }) => encodeParams(notification, params)),
      );
      // Its error is reported in turn.
      encoded.catch(() => undefined);
      publishing = publishing
        .then(async () => {
          const ready = await encoded;
          extensionFields.listening.get(key)?.forEach(({ outlet }) => {
            outlet.push(`${method} ${key}`, method, ready);
          });
        })
        .catch(onError);
    },
    addResultType: (method, resultType) => {
      extensions.addResultType(id, method, resultType);
    },
    addCallHook: (method, hook) => {
      if (hooks.has(method)) {
        throw new McpError("INVALID_DEFINITION", `The requests of ${method} have a hook already.`);
      }
      hooks.set(method, hook);
    },
    addToolOption: (name, option) => {
      addToolOption(tools, name, option);
    },
    inputFor: async (method, params, { revision, client }) =>
      asking.use((using) => {
        const receiver = { rules: rulesOf(revision), client };
        switch (method) {
          case "elicitation/create":
            return using.elicitationInput(params as never, receiver);
          case "sampling/createMessage":
            return using.samplingInput(params as never, receiver);
          case "roots/list":
            return using.rootsInput(receiver);
        }
      }) as Input<unknown>,
    tool: (name) => tools.registry.get(name)?.tool,
    runTool: async (name, args, context) => {
      const registered = tools.registry.get(name);
      if (registered === undefined) {
        throw unknownTool(name);
      }
      const scope = { rules: rulesOf(context.revision), signal: context.signal };
      try {
        const result = await callTool(registered, args, scope, onError, (tool, checked) =>
          runTool(tool, checked, scope, onError, context),
        );
        return result as CallToolResult;
      } catch (error) {
        throw publicError(scope, error);
      }
    },
  };
}
