import type { Addresses } from "./addresses.ts";
import type { News, NodesOwner, Question } from "./nodes.ts";
import type { Records } from "./records.ts";
import type { Entry, ReplicaTable } from "./replica-table.ts";
import type { SharedRevocations } from "./shared-revocations.ts";
import type { Wakeups } from "./wakeups.ts";

/** The dependencies of {@link createNeighbour}. */
export interface NeighbourSetup {
  readonly replicas: ReplicaTable;
  readonly records: Records;
  readonly addresses: Addresses;
  readonly wakeups: Wakeups;
  readonly revocations: SharedRevocations;
  readonly onError: (error: unknown) => void;
}

/** Creates what responds to the other processes for the sessions of this process. */
export function createNeighbour({
  replicas,
  records,
  addresses,
  wakeups,
  revocations,
  onError,
}: NeighbourSetup): NodesOwner {
  /** Reads the record of a session that has changed, or that may have ended. */
  async function refresh(entry: Entry): Promise<void> {
    const { sessionId, principal } = entry.session;
    const record = await records.get(sessionId, principal);
    await (record === undefined ? replicas.drop(entry, 0) : entry.replica.apply(record));
  }

  async function told(news: News): Promise<void> {
    if (news.kind === "revoked") {
      revocations.apply(news);
      return;
    }
    const { kind, session, from, message } = news;
    const entry = replicas.get(session);
    if (entry === undefined) {
      return;
    }
    switch (kind) {
      case "ended":
        await replicas.drop(entry, 0);
        break;
      case "moved":
        entry.replica.streamNode = from;
        entry.session.release();
        break;
      case "cancelled":
        if (message !== undefined) {
          entry.session.put(message);
        }
        break;
      case "changed":
        await refresh(entry);
    }
  }

  /** Requests read the record anyway. Only open streams would not notice what has changed. */
  async function refreshBusy(): Promise<void> {
    for (const entry of replicas.all()) {
      if (entry.session.busy) {
        await refresh(entry);
      }
    }
  }

  return {
    async asked(question: Question) {
      if (question.kind === "written") {
        wakeups.written(question.session, question.streamId);
        return true;
      }
      const entry = replicas.get(question.session);
      if (entry === undefined) {
        return false;
      }
      const { session } = entry;
      if (question.kind === "writes") {
        entry.events?.followers.add(question.from, question.streamId);
        return session.writes(question.streamId);
      }
      if (question.kind === "say" && !session.listens) {
        return false;
      }
      for (const message of question.messages) {
        if (question.kind === "take") {
          session.put(addresses.inward(message));
        } else {
          await session.write(message);
        }
      }
      return true;
    },
    told: (news) => void told(news).catch(onError),
    gap: () => {
      refreshBusy().catch(onError);
      revocations.catchUp().catch(onError);
    },
    onError,
  };
}
