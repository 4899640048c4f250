import type { Wait } from "./wait.ts";

/** Everything that a caller of operations and stores awaits. */
export const waitsOfPackages: readonly Wait[] = [
  {
    name: "the mailbox of a process that has gone",
    program: [
      'import { createMailbox, createMemoryBus } from "@tenon/stores";',
      "const mailbox = await createMailbox(createMemoryBus(), { limits: { timeoutMs: 300 } });",
      'console.log(await mailbox.ask("node:gone", "hello").catch(({ code }) => code));',
    ],
    prints: /NO_RECEIVER/,
  },
  {
    name: "a drain for an object that does not close",
    program: [
      'import { createHealth } from "@tenon/operations";',
      "const hanging = { close: () => new Promise(() => {}) };",
      "console.log(await createHealth().drain({ noticeMs: 1, drainMs: 1, close: [hanging] }).catch(({ name }) => name));",
    ],
    prints: /AggregateError/,
  },
  {
    name: "a readiness check that does not end",
    program: [
      'import { createHealth } from "@tenon/operations";',
      "const health = createHealth({ checks: { store: () => new Promise(() => {}) }, limits: { checkTimeoutMs: 300 }, onError() {} });",
      "console.log(await health.status());",
    ],
    prints: /unavailable/,
  },
];
