import { expect, test } from "vitest";

import { Manager } from "../src/index.ts";
import { localServer } from "./fixture.ts";

test("onClient gets the client of each server before it connects, so that middleware sees every request", async () => {
  const sent: string[] = [];
  const server = () => localServer((its) => its.addTool({ name: "t" }, () => "done"));
  await using manager = new Manager({
    servers: { early: server().spec },
    onClient: (client, name) => {
      client.addSendingMiddleware((next) => (call) => {
        sent.push(`${name} ${call.method}`);
        return next(call);
      });
    },
  });
  await manager.connect("late", server().spec);
  await manager.connectAll();
  expect(new Set(sent.map((line) => line.split(" ")[0]))).toEqual(new Set(["early", "late"]));
  await manager.callToolByName("mcp__early__t");
  expect(sent).toContain("early tools/call");
});

test("a server whose onClient throws is not added", async () => {
  await using manager = new Manager({
    onClient: () => {
      throw new Error("no middleware for you");
    },
  });
  await expect(manager.connect("late", localServer(() => {}).spec)).rejects.toThrow("no middleware for you");
  expect([...manager.snapshot.keys()]).toEqual([]);
});
