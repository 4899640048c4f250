import { legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { openServerWire } from "./server-wire.ts";

// Servers that ask for more than anybody can answer.

test.each([
  [undefined, 32],
  [2, 2],
])(
  "a server that asks the user 500 things at once is answered a few at a time (maxInFlight %s)",
  async (maxInFlight, most) => {
    const open: (() => void)[] = [];
    let shown = 0;
    await using wire = await openServerWire(legacyRevision, {
      elicitation: {
        form: () => {
          shown++;
          return new Promise((resolve) => {
            open.push(() => resolve({ action: "decline" }));
          });
        },
      },
      limits: { maxInFlight },
    });
    const requestedSchema = { type: "object", properties: {} };
    for (let id = 1; id <= 500; id++) {
      await wire.send({ id, method: "elicitation/create", params: { message: "?", requestedSchema } });
    }
    for (let answered = 1; answered <= 500; answered++) {
      while (open.length === 0) {
        await new Promise(setImmediate);
      }
      expect(open.length).toBeLessThanOrEqual(most);
      open.shift()?.();
      expect(await wire.next()).toMatchObject({ result: { action: "decline" } });
    }
    expect(shown).toBe(500);
  },
);

test("updates that wait for a slow reader are their URIs, and a very long URI stands for the resource itself", async () => {
  await using wire = await openServerWire(legacyRevision, {}, { resources: { subscribe: true } });
  await using watch = wire.session.watch("x:");
  await wire.answer({});
  await watch.ready;
  const tell = (uri: string): Promise<void> =>
    wire.send({
      method: "notifications/resources/updated",
      params: { uri, _meta: { large: "x".repeat(1000) } },
    });
  await tell("x:1");
  await tell(`x:${"y".repeat(9000)}`);
  await tell(`x:${"z".repeat(9000)}`);
  await tell("x:2");
  const pinging = wire.session.ping();
  await wire.answer({});
  await pinging;
  const seen: unknown[] = [];
  for (let update = 0; update < 3; update++) {
    seen.push((await watch.next()).value);
  }
  expect(seen).toEqual([{ uri: "x:1" }, { uri: "x:" }, { uri: "x:2" }]);
  const answered = wire.answer({});
  await watch.close();
  await answered;
});
