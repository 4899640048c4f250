import { findMethod, type JSONObject } from "@tenon/protocol";

import { McpError } from "../../base/error.ts";
import { lazy, type Lazy } from "../../base/lazy.ts";
import type { MethodDefinition, NotificationDefinition } from "../../request/extension.ts";
import type * as messagesModule from "./messages.lazy.ts";

/**
 * The extensions that a client or server knows: their names and settings, as in
 * `capabilities.extensions`.
 */
export type ExtensionSettings = Readonly<Record<string, object>>;

/** A message of an extension and who takes it. */
export interface RegisteredMessage<R> {
  readonly kind: "request" | "notification";
  readonly extension: string | undefined;
  handle(params: Readonly<Record<string, unknown>>, request: R): Promise<unknown>;
}

/**
 * Validates, sends and handles the messages of extensions. It is loaded when needed, because most
 * clients and servers have no extensions.
 */
export const extending: Lazy<typeof messagesModule> = lazy(() => import("./messages.lazy.ts"));

const idPattern =
  /^[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*\/[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const maxLength = 256;

/** The extensions of a client or a server, and the handlers of their messages. */
export class Extensions<R> {
  readonly #settings = new Map<string, JSONObject>();
  readonly #messages = new Map<string, RegisteredMessage<R>>();

  constructor(settings: ExtensionSettings = {}) {
    for (const [id, value] of Object.entries(settings)) {
      this.#declare(id, value);
    }
  }

  /** The extensions declared to the remote peer. */
  readonly capabilities = {
    extensions: (): Record<string, JSONObject> | undefined =>
      this.#settings.size === 0 ? undefined : Object.fromEntries(this.#settings),
  };

  /** The message of a name, if there is one. */
  get(method: string): RegisteredMessage<R> | undefined {
    return this.#messages.get(method);
  }

  addMethod(definition: MethodDefinition, handler: (params: never, request: R) => unknown): void {
    this.#add(definition, (payload, request) =>
      extending.use(({ answerMethod }) => answerMethod(definition, handler, payload, request)),
    );
  }

  addNotification(definition: NotificationDefinition, handler: (params: never, request: R) => unknown): void {
    this.#add(definition, (payload, request) =>
      extending.use(({ takeNotification }) => takeNotification(definition, handler, payload, request)),
    );
  }

  /** Loads the code for messages, if there are any that may come. */
  load(): Promise<unknown> | undefined {
    return this.#messages.size > 0 ? extending.load() : undefined;
  }

  /** Removes methods and notifications. Unknown names are ignored. Extensions stay declared. */
  remove(methods: readonly string[]): void {
    methods.forEach((method) => this.#messages.delete(method));
  }

  #add(
    { method, kind, extension }: MethodDefinition | NotificationDefinition,
    handle: RegisteredMessage<R>["handle"],
  ): void {
    if (
      findMethod(method) !== undefined ||
      method.startsWith("rpc.") ||
      method.length === 0 ||
      method.length > maxLength
    ) {
      const message = `An extension's ${kind} needs a name of 1 to ${maxLength} characters that the protocol does not use; got ${JSON.stringify(method.slice(0, maxLength))}.`;
      throw new McpError("INVALID_DEFINITION", message);
    }
    if (this.#messages.has(method)) {
      throw new McpError("INVALID_DEFINITION", `The ${kind} ${method} is defined already; remove it first.`);
    }
    if (extension !== undefined && !this.#settings.has(extension)) {
      this.#declare(extension, {});
    }
    this.#messages.set(method, { kind, extension, handle });
  }

  #declare(id: string, settings: object): void {
    if (!idPattern.test(id) || id.length > maxLength) {
      const message = `Extension name must be a prefix and a name, such as com.example/counter; got ${JSON.stringify(id.slice(0, maxLength))}.`;
      throw new McpError("INVALID_DEFINITION", message);
    }
    this.#settings.set(id, settings as JSONObject);
  }
}

/**
 * Returns whether the remote peer has declared the extension, or the message does not belong to an
 * extension.
 */
export function isActive(
  extension: string | undefined,
  capabilities: { readonly extensions?: Readonly<Record<string, unknown>> | undefined } | undefined,
): boolean {
  return (
    extension === undefined ||
    (capabilities?.extensions !== undefined && Object.hasOwn(capabilities.extensions, extension))
  );
}
