import { bothEras, deferred } from "@tenon/test-support";
import { expect, test } from "vitest";

import { addEcho, localServer } from "./fixture.ts";
import { forever, modernCaller, openLanes } from "./open-lanes.ts";

const ann = modernCaller("ann");

test.each(bothEras)(
  "a caller gets another connection if its connection ends before it is used (server of %s)",
  async (revision) => {
    const { spec } = localServer(undefined, { server: { revisions: [revision] } });
    const lanes = openLanes(spec);
    const before = await lanes.view(ann, forever);
    const using = lanes.use(ann, forever, ({ session }) => session.listTools());
    lanes.retire(before);
    expect((await using).tools).toHaveLength(1);
    expect(before.isDead).toBe(true);
  },
);

test.each(bothEras)(
  "a request that runs on a connection that is replaced has its result (server of %s)",
  async (revision) => {
    const [asked, mayList] = [deferred(), deferred()];
    const { spec } = localServer(
      (server) => {
        addEcho(server);
        server.addReceivingMiddleware((next) => async (request) => {
          if (request.method === "tools/list") {
            asked.resolve();
            await mayList.promise;
          }
          return next(request);
        });
      },
      { server: { revisions: [revision] } },
    );
    const lanes = openLanes(spec);
    const lane = await lanes.view(ann, forever);
    const using = lanes.use(ann, forever, ({ session }) => session.listTools());
    await asked.promise;
    lanes.retire(lane);
    mayList.resolve();
    expect((await using).tools).toHaveLength(1);
    await lane.session.closed;
  },
);
