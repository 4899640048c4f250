import { LocalError } from "@tenon/jsonrpc2";
import { deferred } from "@tenon/test-support";
import { expect, test } from "vitest";

import { withSkills, type SkillHost } from "../src/host/skill-host.ts";

test("a read whose connection is lost is repeated when the host knows that the session has ended", async () => {
  const closed = deferred();
  let current = { skills: "lost", closed: closed.promise };
  const host = { snapshot: new Map(), get: () => current } as unknown as SkillHost;
  const reads: unknown[] = [];
  const reading = withSkills(host, "docs", undefined, async (skills: unknown) => {
    reads.push(skills);
    if (skills === "lost") {
      throw new LocalError("CONNECTION_CLOSED", "The connection is closed.");
    }
    return skills;
  });
  await new Promise(setImmediate);
  expect(reads).toEqual(["lost"]);
  current = { skills: "next", closed: Promise.resolve() };
  closed.resolve();
  expect(await reading).toBe("next");
});
