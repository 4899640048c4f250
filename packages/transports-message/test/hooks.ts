/** The hooks of the page `host`. Connections have numbers, in their order. */
export interface HostHooks {
  /** Adds a frame, and connects to it. */
  frame(src: string, origin: string, sandbox?: string): Promise<number>;
  /** Adds a frame without a connection. */
  bystander(src: string): Promise<void>;
  popup(src: string, origin: string): Promise<number>;
  worker(src: string): Promise<number>;
  /** Loads another document into the frame of a connection. */
  load(n: number, src: string): Promise<void>;
  /** Connects again by the same transport. */
  again(n: number): Promise<number>;
  remove(n: number): Promise<void>;
  /** The result of a call, or the code of its error. */
  call(n: number, method: string, params: object): Promise<unknown>;
  /** Resolves at the end of a connection, with the message of its error. */
  ended(n: number): Promise<string>;
  /** Resolves with the messages that were received, as soon as there are so many. */
  heard(n: number, count: number): Promise<object[]>;
  warned(n: number, count: number): Promise<string[]>;
  listen(channel: string): Promise<number>;
  dial(channel: string): Promise<number>;
}

/** The hooks of the page `kits`. */
export interface KitHooks {
  /** Runs the checks of a kit. Returns `passed` or an error, by the names of the checks. */
  runKit(of: string): Promise<Record<string, string>>;
}
