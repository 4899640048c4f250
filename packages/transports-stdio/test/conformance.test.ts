import { transportConformance, type ConnectedPair } from "@tenon/jsonrpc2/testing";
import { beforeAll, describe, test } from "vitest";

import { CommandTransport } from "../src/index.ts";
import { program } from "./programs.ts";
import { relayedPair } from "./relayed.ts";

const programs = { relay: "", server: "" };

beforeAll(async () => {
  programs.relay = await program("relay");
  programs.server = await program("server");
});

describe("the kit over the pipes of a child process", () => {
  transportConformance({ test }, () => relayedPair(programs.relay), {
    inject: (pair, text) => (pair as ConnectedPair & { inject(text: string): Promise<void> }).inject(text),
    connect: (options) =>
      new CommandTransport({ command: process.execPath, args: [programs.server], stderr: "ignore" }).connect(
        options,
      ),
    checkTimeoutMs: 300_000,
    countResources: () => process.getActiveResourcesInfo().filter((name) => /Process|Pipe/.test(name)).length,
  });
});
