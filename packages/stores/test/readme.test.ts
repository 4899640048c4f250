import {
  createMailbox,
  createMemoryBus,
  createMemoryLeases,
  createMemorySessionStore,
  type Bus,
  type Leases,
  type SessionStore,
} from "@tenon/stores";
import { expect, test } from "vitest";

// #region move
/** Moves a session to the process `node`, and asks its former process to let go of it. */
async function take(sessions: SessionStore, leases: Leases, bus: Bus, id: string, node: string) {
  const record = await sessions.get(id, "ada");
  if (record === undefined) {
    return undefined;
  }
  const lease = await leases.acquire(`session:${id}`, node, 15_000, { takeOver: true });
  await using mailbox = await createMailbox(bus);
  const left = await mailbox.ask(`node:${record.node}`, id);
  return { left, lease, moved: await sessions.update(id, record.version, { node }) };
}
// #endregion move

test("a session moves from one process to another", async () => {
  const sessions = createMemorySessionStore();
  const [leases, bus] = [createMemoryLeases(), createMemoryBus()];
  await sessions.create({ id: "s", principal: "ada", opening: "{}", facts: "{}", node: "n1" }, 60_000);
  const first = await leases.acquire("session:s", "n1", 15_000);
  const mailbox = await createMailbox(bus);
  await mailbox.receive("node:n1", (id) => `${id} left`);
  const taken = await take(sessions, leases, bus, "s", "n2");
  expect(taken).toMatchObject({ left: "s left", moved: { node: "n2", version: 2 } });
  expect(await leases.renew("session:s", first?.fence ?? 0, 1)).toBe(false);
  await mailbox.close();
});
