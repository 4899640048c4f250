import { unlessAborted } from "@tenon/base";
import { isLocalError } from "@tenon/jsonrpc2/core";
import type { ClientSession } from "@tenon/mcp";

import type { SessionSkills } from "../client/session-skills.ts";
import { SkillError } from "../wire/error.ts";

/** The part of a `Manager` of `@tenon/host` that skills need. Servers have the host's own names. */
export interface SkillHost {
  /** The state of every server. */
  readonly snapshot: ReadonlyMap<
    string,
    { readonly state: string; readonly extensions?: readonly string[] | undefined }
  >;
  /** Connects to a server. */
  connect(server: string): Promise<ClientSession>;
  /** The session with a server, if it is connected. */
  get(server: string): ClientSession | undefined;
}

/** The states in which a server is expected to connect. A server that was closed stays closed. */
const waiting: ReadonlySet<string | undefined> = new Set(["idle", "connecting", "reconnecting"]);

/**
 * Reads skills of a server of a host, which is waited for while it connects. Reading does no harm,
 * so it is repeated once if the connection is lost.
 *
 * @throws `SkillError` `NOT_CONNECTED`; `TypeError` for a host without `skillClient()`; why the
 *   server could not be connected to; what `read` throws; `signal.reason`.
 */
export async function withSkills<T>(
  host: SkillHost,
  server: string,
  signal: AbortSignal | undefined,
  read: (skills: SessionSkills) => Promise<T>,
): Promise<T> {
  const session = await sessionOf(host, server, signal);
  try {
    return await read(session.skills);
  } catch (error) {
    if (!isLocalError(error, "CONNECTION_CLOSED")) {
      throw error;
    }
    // The host notices only afterwards that the session has ended.
    await unlessAborted(session.closed, signal);
    return read((await sessionOf(host, server, signal)).skills);
  }
}

async function sessionOf(
  host: SkillHost,
  server: string,
  signal: AbortSignal | undefined,
): Promise<ClientSession> {
  const session = host.get(server) ?? (await opened(host, server, signal));
  if (!("skills" in session)) {
    throw new TypeError("Skills of a host require manager.use(skillClient()) before it connects.");
  }
  return session;
}

async function opened(
  host: SkillHost,
  server: string,
  signal: AbortSignal | undefined,
): Promise<ClientSession> {
  const state = host.snapshot.get(server)?.state;
  if (!waiting.has(state)) {
    throw new SkillError(
      "NOT_CONNECTED",
      `The server ${JSON.stringify(server)} must be connected to read its skills; it is ${state ?? "unknown"}.`,
    );
  }
  return unlessAborted(host.connect(server), signal);
}
