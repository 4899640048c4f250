import type { Era, JSONObject } from "@tenon/protocol";

import { McpError } from "../../base/error.ts";
import { lazy, type Lazy } from "../../base/lazy.ts";
import type { MethodDefinition, NotificationDefinition } from "../../request/extension.ts";
import { isTaken } from "../../revisions/index.ts";
import { checkIdentifier, maxNameLength } from "./identifier.ts";
import type * as messagesModule from "./messages.lazy.ts";

/**
 * The extensions that a client or server knows: their names and settings, as in
 * `capabilities.extensions`.
 */
export type ExtensionSettings = Readonly<Record<string, object>>;

/** The capabilities of the remote peer, as far as extensions are concerned. */
export type ExtensionCapabilities =
  | { readonly extensions?: Readonly<Record<string, unknown>> | undefined }
  | undefined;

/** Reads the settings of the remote peer. Returns `undefined` for invalid ones. */
export type ReadSettings = (settings: unknown) => Readonly<Record<string, unknown>> | undefined;

/** An extension that is declared to the remote peer. */
export interface DeclaredExtension {
  readonly settings: object;
  /** Default: both. */
  readonly eras?: readonly Era[] | undefined;
  /** By default all settings are valid. */
  readonly read?: ReadSettings | undefined;
}

/** A message of an extension and who takes it. */
export interface RegisteredMessage<R> {
  readonly definition: MethodDefinition | NotificationDefinition;
  handle(params: Readonly<Record<string, unknown>>, request: R): Promise<unknown>;
}

/**
 * Validates, sends and handles the messages of extensions. It is loaded when needed, because most
 * clients and servers have no extensions.
 */
export const extending: Lazy<typeof messagesModule> = lazy(() => import("./messages.lazy.ts"));

/** Whether a message of an extension exists in an era. */
export function existsIn({ eras }: MethodDefinition | NotificationDefinition, era: Era): boolean {
  return eras === undefined || eras.includes(era);
}

/** The extensions of a client or a server, and the handlers of their messages. */
export class Extensions<R> {
  /** The extensions declared to the remote peer, by name. */
  readonly declared: Map<string, DeclaredExtension> = new Map();
  /** By method. */
  readonly messages: Map<string, RegisteredMessage<R>> = new Map();
  readonly #loads: (() => Promise<unknown> | undefined)[] = [];
  /** By method and result type: the extension to which the type belongs. */
  readonly resultTypes: Map<string, string> = new Map();

  constructor(settings: ExtensionSettings = {}) {
    for (const [id, value] of Object.entries(settings)) {
      checkIdentifier(id);
      this.declared.set(id, { settings: value });
    }
  }

  /** The extensions declared to the remote peer. */
  readonly capabilities = {
    extensions: ({ era }: { readonly era: Era }): Record<string, JSONObject> | undefined => {
      const own = [...this.declared].filter(([, { eras }]) => eras === undefined || eras.includes(era));
      return own.length === 0
        ? undefined
        : Object.fromEntries(own.map(([id, { settings }]) => [id, settings as JSONObject]));
    },
  };

  /**
   * The message of a name, if there is one.
   *
   * @param era - The era of the message that was received. By default the era does not count.
   */
  get(method: string, era?: Era): RegisteredMessage<R> | undefined {
    const message = this.messages.get(method);
    return message === undefined || era === undefined || existsIn(message.definition, era)
      ? message
      : undefined;
  }

  /** The param that a header repeats, for a method of an extension that has one. */
  headerOf(method: string): string | undefined {
    const definition = this.messages.get(method)?.definition;
    return definition?.kind === "request" ? definition.header : undefined;
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

  /** Loads the code for messages, if there are any that may come, and the schemas of settings. */
  load(): Promise<unknown> | undefined {
    const settings = this.loadSettings();
    const messages = this.messages.size > 0 ? extending.load() : undefined;
    return messages === undefined ? settings : Promise.all([messages, settings]);
  }

  /** Loads the schemas of the settings of remote peers. */
  loadSettings(): Promise<unknown> | undefined {
    const loading = this.#loads.flatMap((load) => load() ?? []);
    return loading.length === 0 ? undefined : Promise.all(loading);
  }

  /** Removes methods and notifications. Unknown names are ignored. Extensions stay declared. */
  remove(methods: readonly string[]): void {
    methods.forEach((method) => this.messages.delete(method));
  }

  /**
   * Declares an extension.
   *
   * @param load - Loads what {@link DeclaredExtension.read} needs.
   * @throws `McpError` `INVALID_DEFINITION` for a bad name, or one that is declared already.
   */
  declare(id: string, declared: DeclaredExtension, load?: () => Promise<unknown> | undefined): void {
    checkIdentifier(id);
    if (this.declared.has(id)) {
      throw new McpError("INVALID_DEFINITION", `The extension ${id} is declared already.`);
    }
    this.declared.set(id, declared);
    if (load !== undefined) {
      this.#loads.push(load);
    }
  }

  /** Allows results of a method to have a type of their own. */
  addResultType(extension: string, method: string, resultType: string): void {
    if (resultType === "complete" || resultType === "input_required") {
      throw new McpError(
        "INVALID_DEFINITION",
        `The result type ${resultType} cannot belong to an extension.`,
      );
    }
    this.resultTypes.set(`${method} ${resultType}`, extension);
  }

  /** Whether an extension that the remote peer has declared allows a result type of a method. */
  allows(method: string, resultType: unknown, capabilities: ExtensionCapabilities): boolean {
    const key = typeof resultType === "string" ? `${method} ${resultType}` : "";
    const extension = this.resultTypes.get(key);
    return extension !== undefined && this.isActive(extension, capabilities);
  }

  /**
   * Returns whether the remote peer has declared the extension with valid settings, or the message
   * does not belong to an extension.
   */
  isActive(extension: string | undefined, capabilities: ExtensionCapabilities): boolean {
    return extension === undefined || this.settingsOf(extension, capabilities) !== undefined;
  }

  /** The settings with which the remote peer declares an extension. */
  settingsOf(
    extension: string,
    capabilities: ExtensionCapabilities,
  ): Readonly<Record<string, unknown>> | undefined {
    const extensions = capabilities?.extensions;
    if (extensions === undefined || !Object.hasOwn(extensions, extension)) {
      return undefined;
    }
    const settings = extensions[extension];
    const { read } = this.declared.get(extension) ?? {};
    return read === undefined ? (settings as Readonly<Record<string, unknown>>) : read(settings);
  }

  #add(definition: MethodDefinition | NotificationDefinition, handle: RegisteredMessage<R>["handle"]): void {
    const { method, kind, extension, eras } = definition;
    if (
      isTaken(method, eras) ||
      method.startsWith("rpc.") ||
      method.length === 0 ||
      method.length > maxNameLength
    ) {
      const message = `An extension's ${kind} needs a name of 1 to ${maxNameLength} characters that the protocol does not use in its eras; got ${JSON.stringify(method.slice(0, maxNameLength))}.`;
      throw new McpError("INVALID_DEFINITION", message);
    }
    if (this.messages.has(method)) {
      throw new McpError("INVALID_DEFINITION", `The ${kind} ${method} is defined already; remove it first.`);
    }
    if (extension !== undefined && !this.declared.has(extension)) {
      this.declare(extension, { settings: {} });
    }
    this.messages.set(method, { definition, handle });
  }
}
