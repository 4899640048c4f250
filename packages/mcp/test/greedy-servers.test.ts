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
    await using wire = await openServerWire("2025-11-25", {
      maxInFlight,
      elicitation: {
        form: () => {
          shown++;
          return new Promise((resolve) => {
            open.push(() => resolve({ action: "decline" }));
          });
        },
      },
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
