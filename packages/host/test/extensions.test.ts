import { defineClientExtension, defineMethod, isMcpError } from "@tenon/mcp";
import { expect, test } from "vitest";

import { Manager } from "../src/index.ts";
import { localServer } from "./fixture.ts";

const id = "com.example/queue";

test("the clients of all servers of a manager have its extensions, also those that are added later", async () => {
  const declared: unknown[] = [];
  const server = () =>
    localServer((its) => {
      its.addTool({ name: "t" }, (_, { client }) => {
        declared.push(client.capabilities.extensions);
      });
      its.addMethod(defineMethod({ method: `${id}/length`, extension: id }), () => ({}));
    });
  await using manager = new Manager({ servers: { early: server().spec } });
  const extension = defineClientExtension({ id, setup: () => ({ lanes: 2 }) });
  manager.use(extension);
  await manager.connect("late", server().spec);
  await manager.connectAll();
  for (const { name } of await manager.tools()) {
    await manager.callToolByName(name);
  }
  expect(declared).toEqual([{ [id]: { lanes: 2 } }, { [id]: { lanes: 2 } }]);
  expect(manager.snapshot.get("late")?.extensions).toEqual([id]);
  let refused: unknown;
  try {
    manager.use(extension);
  } catch (error) {
    refused = error;
  }
  expect(isMcpError(refused, "INVALID_DEFINITION")).toBe(true);
});
