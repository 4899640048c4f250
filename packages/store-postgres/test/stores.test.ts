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
import { hasPostgres } from "@tenon/test-support/postgres";
import { afterAll, describe, expect, test } from "vitest";

import { onPostgres, stopServer } from "./support.ts";

afterAll(stopServer);

const options = { durable: true, shared: true, stops: true };
const runner = { test: test.skipIf(!hasPostgres) };

describe("tasks on PostgreSQL (skipped without a server)", () => {
  const count = taskStoreConformance(
    runner,
    onPostgres(({ tasks }) => tasks),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(56));
});

describe("events on PostgreSQL (skipped without a server)", () => {
  const count = eventStoreConformance(
    runner,
    onPostgres(({ events }) => events),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(29));
});

describe("sessions on PostgreSQL (skipped without a server)", () => {
  const count = sessionStoreConformance(
    runner,
    onPostgres(({ sessions }) => sessions),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(33));
});

describe("a bus on PostgreSQL (skipped without a server)", () => {
  const count = busConformance(
    runner,
    onPostgres(({ bus }) => bus),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(25));
});

describe("leases on PostgreSQL (skipped without a server)", () => {
  const count = leasesConformance(
    runner,
    onPostgres(({ leases }) => leases),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(25));
});

describe("used proofs on PostgreSQL (skipped without a server)", () => {
  const count = replayStoreConformance(
    runner,
    onPostgres(({ replay }) => replay),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(10));
});

describe("rate limits on PostgreSQL (skipped without a server)", () => {
  const count = rateLimitsConformance(
    runner,
    onPostgres(({ rates }) => rates),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(15));
});

describe("tokens and keys on PostgreSQL (skipped without a server)", () => {
  const count = authStoreConformance(
    runner,
    onPostgres(({ auth }) => auth),
    options,
  );
  test("the kit has all its checks", () => expect(count).toBe(26));
});
