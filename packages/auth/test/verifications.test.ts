import { VerifierUnavailable, type RejectedToken, type VerifiedToken } from "@tenon/auth/server";
import { expect, test, vi } from "vitest";

import { bearer, genuine, guardFor } from "./issuer.ts";

/** Ends a verification. */
interface Settle {
  resolve(outcome: VerifiedToken | RejectedToken): void;
  reject(error: Error): void;
}

test("a token is verified once at a time and remembered for a minute at most, never beyond its expiry", async () => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  try {
    let verified = 0;
    const guard = guardFor(
      () => ({ ...genuine, expiresAt: Date.now() + 20_000, clientId: String(++verified) }),
      {
        limits: { clockToleranceMs: 0 },
      },
    );
    const [one, other] = await Promise.all([
      guard.authenticate(bearer("t")),
      guard.authenticate(bearer("t")),
    ]);
    expect(one).toBe(other);
    vi.advanceTimersByTime(19_999);
    expect(await guard.authenticate(bearer("t"))).toBe(one);
    vi.advanceTimersByTime(1);
    expect(await guard.authenticate(bearer("t"))).toBeInstanceOf(Response);
    expect(verified).toBe(1);
    vi.advanceTimersByTime(40_000);
    expect(await guard.authenticate(bearer("t"))).toMatchObject({ clientId: "2" });
  } finally {
    vi.useRealTimers();
  }
});

test("refused tokens are remembered only if the verifier says for how long, and push out no tokens of users", async () => {
  const calls: string[] = [];
  const guard = guardFor(
    (token) => {
      calls.push(token);
      return token === "good"
        ? genuine
        : { rejected: "invalid", ttlMs: token.startsWith("kept") ? 1000 : undefined };
    },
    { limits: { maxEntries: 1 } },
  );
  for (const token of ["good", "other", "other", "kept", "kept", "good"]) {
    await guard.authenticate(bearer(token));
  }
  expect(calls).toEqual(["good", "other", "other", "kept"]);
});

test("a verification that takes too long holds its place until it has settled", async () => {
  let settle: (token: VerifiedToken) => void = () => {};
  let calls = 0;
  const guard = guardFor(
    () => (++calls === 1 ? new Promise<VerifiedToken>((resolve) => (settle = resolve)) : genuine),
    { limits: { maxInFlight: 1, verifyTimeoutMs: 1 }, onError: () => {} },
  );
  expect(await guard.authenticate(bearer("first"))).toMatchObject({ status: 503 });
  expect(await guard.authenticate(bearer("first"))).toMatchObject({ status: 503 });
  expect(await guard.authenticate(bearer("second"))).toMatchObject({ status: 503 });
  expect(calls).toBe(1);
  settle(genuine);
  await new Promise((resolve) => setImmediate(resolve));
  expect(await guard.authenticate(bearer("second"))).toMatchObject({ subject: "ada" });
});

test.each([
  ["a token", (settle: Settle) => settle.resolve(genuine)],
  ["a refusal", (settle: Settle) => settle.resolve({ rejected: "invalid", ttlMs: 60_000 })],
  ["an error", (settle: Settle) => settle.reject(new Error("late"))],
])(
  "what takes longer than verifyTimeoutMs is reported to onError, and ignored when it comes: %s",
  async (_, end) => {
    const errors: unknown[] = [];
    const rejected: unknown[] = [];
    const calls: Settle[] = [];
    const guard = guardFor(() => new Promise((resolve, reject) => calls.push({ resolve, reject })), {
      limits: { verifyTimeoutMs: 1 },
      onError: (error) => errors.push(error),
      onRejected: (token) => rejected.push(token),
    });
    expect(await guard.authenticate(bearer("t"))).toMatchObject({ status: 503 });
    expect(errors).toEqual([new VerifierUnavailable("The token was not verified within 1 ms.")]);
    calls.forEach(end);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await guard.authenticate(bearer("t"))).toMatchObject({ status: 503 });
    expect({ verified: calls.length, reported: errors.length, rejected }).toEqual({
      verified: 2,
      reported: 2,
      rejected: [],
    });
  },
);

test("no more than maxInFlight tokens are verified at a time, and none for longer than verifyTimeoutMs", async () => {
  const guard = guardFor(() => new Promise(() => {}), {
    limits: { maxInFlight: 1, verifyTimeoutMs: 1 },
    onError: () => {},
  });
  const waiting = guard.authenticate(bearer("first"));
  expect(await guard.authenticate(bearer("second"))).toMatchObject({ status: 503 });
  expect(await waiting).toMatchObject({ status: 503 });
});

test("a verification that follows its signal gives its place up when its time is over", async () => {
  const reasons: unknown[] = [];
  const guard = guardFor(
    (token, _, signal) =>
      token === "good"
        ? genuine
        : new Promise((__, reject) => {
            signal.addEventListener("abort", () => {
              reasons.push(signal.reason);
              reject(new Error("aborted"));
            });
          }),
    { limits: { maxInFlight: 1, verifyTimeoutMs: 1 }, onError: () => {} },
  );
  expect(await guard.authenticate(bearer("slow"))).toMatchObject({ status: 503 });
  expect(reasons).toEqual([new VerifierUnavailable("The token was not verified within 1 ms.")]);
  expect(await guard.authenticate(bearer("good"))).toMatchObject({ subject: "ada" });
});

test("tokens that are remembered need no place among those that are being verified", async () => {
  const guard = guardFor((token) => (token === "good" ? genuine : new Promise(() => {})), {
    limits: { maxInFlight: 1 },
    onError: () => {},
  });
  expect(await guard.authenticate(bearer("good"))).toMatchObject({ subject: "ada" });
  void guard.authenticate(bearer("stranger"));
  expect(await guard.authenticate(bearer("other"))).toMatchObject({ status: 503 });
  expect(await guard.authenticate(bearer("good"))).toMatchObject({ subject: "ada" });
});

test("onRevoked forgets the tokens of a principal, those that are being verified included", async () => {
  let verified = 0;
  let release = (): void => {};
  const guard = guardFor(async () => {
    verified++;
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    return genuine;
  });
  const { principal } = { principal: '["https://login.example.com","ada","editor"]' };
  const authenticate = async (): Promise<void> => {
    const answer = guard.authenticate(bearer("t"));
    await vi.waitFor(() => expect(verified).toBeGreaterThan(0));
    release();
    await answer;
  };
  await authenticate();
  guard.onRevoked(principal);
  const running = guard.authenticate(bearer("t"));
  await vi.waitFor(() => expect(verified).toBe(2));
  guard.onRevoked(principal);
  release();
  await running;
  const last = guard.authenticate(bearer("t"));
  await vi.waitFor(() => expect(verified).toBe(3));
  release();
  await last;
});

test("a verifier that looks at the connection is asked for each request", async () => {
  let verified = 0;
  const bound = { ...genuine, confirmation: { "x5t#S256": "abc" } as object, isBindingChecked: true };
  const guard = guardFor(() => {
    verified++;
    return Promise.resolve(bound);
  });
  await Promise.all([guard.authenticate(bearer("t")), guard.authenticate(bearer("t"))]);
  expect(verified).toBe(2);
});
