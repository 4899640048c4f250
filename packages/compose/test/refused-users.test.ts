import type { CallRelay, LaneCaller } from "@tenon/host";
import { Client, type ServerRequest } from "@tenon/mcp";
import { deferred, legacyRevision } from "@tenon/test-support";
import { startLegacyHttp } from "@tenon/test-support/legacy-http";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { expect, onTestFinished, test } from "vitest";

import { connectedSource } from "../src/source/connected-source.ts";

/** More users than one check asks. */
const refusedUsers = 9;

test("a user who missed a list is notified, however many users the server refuses", async () => {
  const state = { isRefusing: false, isFailing: false };
  const old = await startLegacyHttp({ tools: {} }, ({ method, session }) => {
    if (state.isRefusing && session < refusedUsers) {
      return 403;
    }
    if (method === "tools/list" && state.isFailing) {
      return 503;
    }
    return method === "ping" ? {} : undefined;
  });
  onTestFinished(() => old[Symbol.asyncDispose]());
  let present: LaneCaller | undefined;
  const source = connectedSource({
    relay: { callerOf: () => present } as unknown as CallRelay,
    connect: () =>
      new Client({ name: "proxy", version: "1.0.0" }, { revisions: [legacyRevision] }).connect(
        new StreamableClientTransport(old.url),
      ),
  });
  onTestFinished(() => source[Symbol.asyncDispose]());
  const notified = deferred<unknown>();
  source.onListChange?.((_, audience) => notified.resolve(audience?.key));
  await source.start();
  for (let user = 0; user <= refusedUsers; user++) {
    present = { key: user, session: undefined, inputs: {}, asks: "never" };
    await source.lanes.view(present, new AbortController().signal);
  }
  Object.assign(state, { isRefusing: true, isFailing: true });
  await expect(source.list("tools", {} as ServerRequest)).rejects.toMatchObject({ status: 503 });
  expect(await notified.promise).toBe(refusedUsers);
});
