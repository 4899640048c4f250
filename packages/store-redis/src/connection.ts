import type { Link } from "./link.ts";

/** Values that a script gets. */
export type ScriptValue = string | number;

/** The parts that the stores of one client share. */
export interface Connection {
  readonly link: Link;
  /** The beginning of every key. */
  readonly prefix: string;
  /** Maximum time of a call, in milliseconds. */
  readonly timeoutMs: number;
  /** Time between two checks whether a connection for subscriptions works, in milliseconds. */
  readonly aliveMs: number;
  /**
   * Runs a script as one atomic step. In the script `now` is the time of the server, in
   * milliseconds since 1970.
   */
  script(lua: string, keys: readonly string[], values: readonly ScriptValue[]): Promise<unknown>;
  /** Sends a command. */
  command(...command: string[]): Promise<unknown>;
}

/** Settings of a {@link Connection}. */
export interface ConnectionSetup extends Pick<Connection, "link" | "prefix" | "timeoutMs" | "aliveMs"> {
  /** Returns how much to add to the time of the server, in milliseconds. */
  readonly offsetMs: () => number;
}

/** Creates a {@link Connection}. */
export function createConnection({
  link,
  prefix,
  timeoutMs,
  aliveMs,
  offsetMs,
}: ConnectionSetup): Connection {
  const hashes = new Map<string, string>();

  return {
    link,
    prefix,
    timeoutMs,
    aliveMs,
    async script(lua, keys, values) {
      let hash = hashes.get(lua);
      if (hash === undefined) {
        hash = await sha1(head + lua);
        hashes.set(lua, hash);
      }
      const command = ["EVALSHA", hash, String(keys.length), ...keys, String(offsetMs())];
      for (const value of values) {
        command.push(String(value));
      }
      try {
        return await link.command(command);
      } catch (error) {
        // The server has forgotten its scripts, or never had this one.
        if (error instanceof Error && error.message.startsWith("NOSCRIPT")) {
          return await link.command(["EVAL", head + lua, ...command.slice(2)]);
        }
        throw error;
      }
    },
    command: (...command) => link.command(command),
  };
}

/** The beginning of every script. Numbers of 16 digits must not become exponents. */
const head = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[1])
local function text(number) return string.format('%.0f', number) end
`;

/** Returns text as a part of a key: without braces, which choose the slot of a cluster. */
export function keyPart(text: string): string {
  return encodeURIComponent(text);
}

/** The fields of a hash, as a script returns them. */
export function fieldsOf(reply: unknown): ReadonlyMap<string, string> {
  const list = Array.isArray(reply) ? reply.map(String) : [];
  return new Map(list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1] ?? ""]] : [])));
}

async function sha1(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-1", new TextEncoder().encode(text));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
