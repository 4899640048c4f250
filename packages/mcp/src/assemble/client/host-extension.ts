import { McpError } from "../../base/error.ts";
import type { ExtensionHeader } from "../../feature/extensions/define.ts";
import type { ClientExtensionHost, SendOptions } from "../../request/client/extension.ts";
import type { ClientSession } from "../../request/client/session.ts";
import { isTaken } from "../../revisions/index.ts";
import type { ClientDefinition } from "../../session/client/definition.ts";
import { LiveClientSession } from "../../session/client/session.ts";

/** Makes the interface of a client for one of its extensions. */
export function hostClientExtension<S>(
  { id, eras }: ExtensionHeader,
  {
    extensions,
    methods,
    hooks,
    requestOptions,
    declaration,
    onOpen,
    beforeClose,
    clock,
    onError,
  }: ClientDefinition,
): ClientExtensionHost<S> {
  return {
    clock,
    onError,
    settingsOf: ({ era, serverCapabilities }) =>
      eras?.includes(era) === false
        ? undefined
        : (extensions.settingsOf(id, serverCapabilities) as S | undefined),
    handle: (method, handler) => {
      if (!isTaken(method) || methods.has(method)) {
        const message = `${id} can handle ${method} only if the protocol has it and the client does not handle it.`;
        throw new McpError("INVALID_DEFINITION", message);
      }
      methods.set(method, (params, request) => {
        const own = request.session?.rules.methods;
        return own === undefined || Object.hasOwn(own, method)
          ? handler(params, request)
          : extensions.get(method)?.handle(params, request);
      });
    },
    addCapability: (name, value) => {
      if (!declaration.add(name, value)) {
        throw new McpError("INVALID_DEFINITION", `The capability ${name} is declared by the client itself.`);
      }
    },
    addRequestHook: (method, hook, resultTypes = []) => {
      if (hooks.has(method)) {
        throw new McpError("INVALID_DEFINITION", `The requests of ${method} have a hook already.`);
      }
      for (const resultType of resultTypes) {
        extensions.addResultType(id, method, resultType);
      }
      hooks.set(method, async (session, params, options, send) =>
        hook({
          session,
          method,
          params: params as Readonly<Record<string, unknown>>,
          options,
          send: (changed, { declared, ...rest }: SendOptions) =>
            send(changed, declared === false ? { ...rest, undeclared: id } : rest) as never,
        }),
      );
    },
    addRequestOptions: (...names) => {
      for (const name of names) {
        requestOptions[name] = true;
      }
    },
    addSessionProperty: (name, create) => {
      if (name in LiveClientSession.prototype) {
        throw new McpError("INVALID_DEFINITION", `Sessions have a property ${name} already.`);
      }
      onOpen.push((session) => {
        addProperty(session, name, create);
      });
    },
    beforeClose: (work) => {
      beforeClose.push(work);
    },
  };
}

/** Adds a property whose value is created when it is first read. */
function addProperty(
  session: ClientSession,
  name: string,
  create: (session: ClientSession) => unknown,
): void {
  let made: { readonly value: unknown } | undefined;
  Object.defineProperty(session, name, { get: () => (made ??= { value: create(session) }).value });
}
