/** The method that adds an extension to a server or a client: for `use` only. */
export const install: unique symbol = Symbol("install");

/** An extension for servers, as `defineServerExtension` makes it. */
export interface ServerExtension {
  /** The name under which it is declared: a prefix and a name, `com.example/counter`. */
  readonly id: string;
  readonly [install]: (server: never, parts: never) => void;
}

/** An extension for clients, as `defineClientExtension` makes it. */
export interface ClientExtension {
  /** The name under which it is declared: a prefix and a name, `com.example/counter`. */
  readonly id: string;
  readonly [install]: (client: never, parts: never) => void;
}
