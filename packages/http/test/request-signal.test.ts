import { abortSignalOf, RequestAbort, type RequestSignal } from "@tenon/http/client";
import { expect, test } from "vitest";

/** A listener that counts its calls. */
function listener(): { calls: number; handleEvent(): void } {
  return {
    calls: 0,
    handleEvent() {
      this.calls++;
    },
  };
}

function byController(): { readonly signal: RequestSignal; abort(reason?: unknown): void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: (reason) => controller.abort(reason) };
}

function byRequest(): { readonly signal: RequestSignal; abort(reason?: unknown): void } {
  const signal = new RequestAbort();
  return { signal, abort: (reason) => signal.abort(reason) };
}

const once = { once: true } as const;

test.each([
  ["an AbortController", byController],
  ["a RequestAbort", byRequest],
])("%s tells each of its listeners once, with the first reason", (_, make) => {
  const { signal, abort } = make();
  const [first, second, removed] = [listener(), listener(), listener()];
  for (const each of [first, second, removed]) {
    signal.addEventListener("abort", each, once);
  }
  signal.removeEventListener("abort", removed);
  signal.throwIfAborted();
  expect(signal.aborted).toBe(false);
  abort("enough");
  abort("too late");
  expect([first.calls, second.calls, removed.calls]).toEqual([1, 1, 0]);
  expect([signal.aborted, signal.reason]).toEqual([true, "enough"]);
  expect(() => signal.throwIfAborted()).toThrow("enough");
  const late = listener();
  signal.addEventListener("abort", late, once);
  expect(late.calls).toBe(0);
});

test.each([
  ["an AbortController", byController],
  ["a RequestAbort", byRequest],
])("%s without a reason aborts with an AbortError", (_, make) => {
  const { signal, abort } = make();
  abort();
  expect(signal.reason).toMatchObject({ name: "AbortError", message: "This operation was aborted" });
});

test("the AbortSignal of a request is the same whenever it is asked for, and has fired if the request was aborted before", () => {
  const { signal } = new AbortController();
  expect(abortSignalOf(signal)).toBe(signal);
  const abort = new RequestAbort();
  const before = abortSignalOf(abort);
  expect(before.aborted).toBe(false);
  abort.abort("enough");
  expect([before.aborted, before.reason]).toEqual([true, "enough"]);
  expect(abortSignalOf(abort)).toBe(before);
  const aborted = new RequestAbort();
  aborted.abort("enough");
  expect(abortSignalOf(aborted)).toMatchObject({ aborted: true, reason: "enough" });
});
