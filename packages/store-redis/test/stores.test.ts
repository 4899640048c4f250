import {
  authStoreConformance,
  busConformance,
  eventStoreConformance,
  leasesConformance,
  rateLimitsConformance,
  replayStoreConformance,
  sessionStoreConformance,
} from "@tenon/stores/testing";
import { taskStoreConformance } from "@tenon/tasks/testing";
import { hasRedis } from "@tenon/test-support/redis";
import { afterAll, describe, expect, test } from "vitest";

import { onRedis, stopServer } from "./support.ts";

afterAll(stopServer);

const options = { durable: true, shared: true, stops: true };
const runner = { test: test.skipIf(!hasRedis) };

describe("tasks on Redis (skipped without a server)", () => {
  const count = taskStoreConformance(
    runner,
    onRedis("redis", ({ tasks }) => tasks),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(57));
});

describe("events on Redis (skipped without a server)", () => {
  const count = eventStoreConformance(
    runner,
    onRedis("redis", ({ events }) => events),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(29));
});

describe("sessions on Redis (skipped without a server)", () => {
  const count = sessionStoreConformance(
    runner,
    onRedis("redis", ({ sessions }) => sessions),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(33));
});

describe("a bus on Redis (skipped without a server)", () => {
  const count = busConformance(
    runner,
    onRedis("redis", ({ bus }) => bus),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(25));
});

describe("leases on Redis (skipped without a server)", () => {
  const count = leasesConformance(
    runner,
    onRedis("redis", ({ leases }) => leases),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(25));
});

describe("used proofs on Redis (skipped without a server)", () => {
  const count = replayStoreConformance(
    runner,
    onRedis("redis", ({ replay }) => replay),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(10));
});

describe("rate limits on Redis (skipped without a server)", () => {
  const count = rateLimitsConformance(
    runner,
    onRedis("redis", ({ rates }) => rates),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(15));
});

describe("tokens and keys on Redis (skipped without a server)", () => {
  const count = authStoreConformance(
    runner,
    onRedis("redis", ({ auth }) => auth),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(27));
});
