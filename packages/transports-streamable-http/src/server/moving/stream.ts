import { HeaderName } from "../../shared/names.ts";
import type { Call } from "../call.ts";
import { standalone } from "./events.ts";
import { followStream } from "./follow.ts";
import type { Nodes } from "./nodes.ts";
import type { Records } from "./records.ts";
import type { Entry, MovingSetup } from "./replica-table.ts";
import type { Wakeup, Wakeups } from "./wakeups.ts";

/** The dependencies of {@link serveMoved}. */
export interface MovedSetup {
  readonly setup: MovingSetup;
  readonly records: Records;
  readonly nodes: Nodes;
  /** The name of this process. */
  readonly node: string;
  readonly wakeups: Wakeups;
}

/** Serves a GET: takes over the standalone stream, or continues a stream of a POST. */
export async function serveMoved(entry: Entry, call: Call, parts: MovedSetup): Promise<void> {
  const { exchange } = call;
  const { session, events, replica } = entry;
  const { sessionId } = session;
  const { nodes, node, setup } = parts;
  const after = exchange.header(HeaderName.lastEventId);
  const streamId = after === undefined ? standalone : await events?.streamOf(sessionId, after);
  const writer = streamId === undefined ? undefined : /^(\w+)\./.exec(streamId)?.[1];
  if (events && after !== undefined && streamId !== undefined && writer !== undefined && writer !== node) {
    const isWritten = (): Promise<boolean> =>
      nodes.ask(writer, { kind: "writes", session: sessionId, streamId, from: node });
    const listen = (): Wakeup => parts.wakeups.listen(sessionId, streamId);
    await followStream({ call, events, sessionId, streamId, after, isWritten, listen }, setup.settings);
    return;
  }
  if (streamId === standalone) {
    await takeStream(entry, parts);
    replica.streamNode = undefined;
    nodes.tell("moved", sessionId);
  }
  await setup.parts.serveStream(session, call);
}

/** Makes this process the writer of the standalone stream of a session. */
async function takeStream({ session, events }: Entry, { setup, records, node }: MovedSetup): Promise<void> {
  const { stores, settings } = setup;
  const { sessionId, principal } = session;
  try {
    if (events !== undefined && stores.leases !== undefined) {
      await events.takeOver(stores.leases, sessionId, node);
    }
    await records.moveStream(sessionId, principal, node);
  } catch (error) {
    // The client gets its stream, but other processes may not find it.
    settings.onError(error);
  }
}
