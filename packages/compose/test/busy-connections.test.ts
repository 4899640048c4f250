import { compose } from "@tenon/compose";
import { Server } from "@tenon/mcp";
import { deferred, legacyRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

import { serving } from "./serving.ts";

test("a connection whose caller waits for a completion is not closed to make room for others", async () => {
  const [asked, mayComplete] = [deferred(), deferred()];
  const far = new Server({ name: "far", version: "1.0.0" }, { revisions: [legacyRevision] });
  far.addTool({ name: "plain" }, () => "done");
  far.addPrompt(
    {
      name: "greet",
      arguments: [{ name: "who" }],
      complete: {
        who: async () => {
          asked.resolve();
          await mayComplete.promise;
          return ["ada"];
        },
      },
    },
    () => "Hello",
  );
  const connect = serving(
    compose(
      {
        far: async () => {
          const [here, there] = createInMemoryTransports();
          await far.connect(there);
          return here;
        },
      },
      { names: "own", connections: { maxLanes: 2 } },
    ),
  );
  const [ann, bob, eve] = [await connect("ann"), await connect("bob"), await connect("eve")];
  const ref = { type: "ref/prompt", name: "greet" } as const;
  const completing = ann.complete({ ref, argument: { name: "who", value: "a" } });
  const outcome = expect(completing).resolves.toMatchObject({ completion: { values: ["ada"] } });
  await asked.promise;
  for (const session of [bob, eve]) {
    expect(await session.callTool({ name: "plain" })).toMatchObject({ content: [{ text: "done" }] });
  }
  mayComplete.resolve();
  await outcome;
});
