import { busConformance, eventStoreConformance, sessionStoreConformance } from "@tenon/stores/testing";
import { hasRedis } from "@tenon/test-support/redis";
import { afterAll, describe, test } from "vitest";

import { onRedis, stopServer } from "./support.ts";

afterAll(stopServer);

const options = { durable: true, shared: true, stops: true };
const runner = { test: test.skipIf(!hasRedis) };

for (const library of ["ioredis", "iovalkey"] as const) {
  describe(`a bus with ${library} (skipped without a server)`, () => {
    busConformance(
      runner,
      onRedis(library, ({ bus }) => bus),
      options,
    );
  });

  describe(`events with ${library} (skipped without a server)`, () => {
    eventStoreConformance(
      runner,
      onRedis(library, ({ events }) => events),
      options,
    );
  });

  describe(`sessions with ${library} (skipped without a server)`, () => {
    sessionStoreConformance(
      runner,
      onRedis(library, ({ sessions }) => sessions),
      options,
    );
  });
}
