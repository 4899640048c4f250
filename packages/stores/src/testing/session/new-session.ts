import type { NewSession, SessionRecord } from "../../session/contract.ts";

let lastId = 0;

/** A session to create, with an ID of its own. */
export function newSession(members: Partial<NewSession> = {}): NewSession {
  lastId++;
  return {
    id: `s_${String(lastId).padStart(6, "0")}`,
    principal: "ada",
    opening: '{"protocolVersion":"x"}',
    facts: "{}",
    node: "n1",
    ...members,
  };
}

/** The record that an update returned. Fails if it was refused. */
export function recordOf(result: SessionRecord | string): SessionRecord {
  if (typeof result === "string") {
    throw new TypeError(`The store must return the record; got ${result}.`);
  }
  return result;
}
