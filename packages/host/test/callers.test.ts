import { Client, Server, type ServerRequest } from "@tenon/mcp";
import { legacyRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test } from "vitest";

import { Callers } from "../src/lanes/caller.ts";

/** A request of a legacy client. */
async function legacyRequest(): Promise<ServerRequest> {
  const server = new Server({ name: "server", version: "1.0.0" });
  const received = new Promise<ServerRequest>((resolve) => {
    server.addReceivingMiddleware((next) => (request) => {
      resolve(request);
      return next(request);
    });
  });
  server.addTool({ name: "tool" }, () => "done");
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const client = new Client({ name: "client", version: "1.0.0" }, { revisions: [legacyRevision] });
  const session = await client.connect(here);
  onTestFinished(() => session.close());
  await session.listTools();
  return received;
}

test("the first authenticated request of a legacy session names its owner, also after a notification", async () => {
  const { session, client, revision } = await legacyRequest();
  const callers = new Callers();
  const of = (principal?: string) =>
    callers.of({ session, client, revision, auth: principal && { principal } } as ServerRequest);
  if (session === undefined) {
    throw new Error("Expected a session.");
  }
  expect(of().owner).toBe(session);
  const known = of("ann");
  expect(known.owner).toBe("ann");
  // A later notification does not take the owner away.
  expect(of()).toBe(known);
  expect(of("ann")).toBe(known);
});
