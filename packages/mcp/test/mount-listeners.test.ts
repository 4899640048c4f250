import { Server } from "@tenon/mcp";
import { mountServer } from "@tenon/mcp/server";
import { expect, test } from "vitest";

test("a listener of a mounted server that throws or rejects keeps no other from the change, and its error is reported", async () => {
  const errors: unknown[] = [];
  const server = new Server(
    { name: "inner", version: "1.0.0" },
    { onError: (error) => void errors.push((error as Error).message) },
  );
  const mounted = mountServer(server);
  mounted.onChange(() => {
    throw new Error("thrown");
  });
  mounted.onChange((): unknown => Promise.reject(new Error("rejected")));
  const told: unknown[] = [];
  mounted.onChange((change) => void told.push(change));
  server.resourceUpdated("notes://1");
  expect(told).toEqual([{ method: "notifications/resources/updated", uri: "notes://1" }]);
  await expect.poll(() => errors).toEqual(["thrown", "rejected"]);
});
