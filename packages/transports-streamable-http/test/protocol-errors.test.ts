import { RpcError } from "@tenon/jsonrpc2";
import { McpErrorCode } from "@tenon/protocol";
import { expect, test } from "vitest";

import { isFromModernServer } from "../src/client/gatekeeping.ts";
import { listen, modern } from "./setup.ts";

/** The HTTP status of each code in the modern era, and whether only modern servers send it. */
const expected: Readonly<Record<keyof typeof McpErrorCode, readonly [status: number, isModern: boolean]>> = {
  HeaderMismatch: [400, true],
  MissingRequiredClientCapability: [400, true],
  UnsupportedProtocolVersion: [400, true],
  UrlElicitationRequired: [200, false],
  ResourceNotFound: [200, false],
};

test.each(Object.entries(McpErrorCode))(
  "the error %s has its status (modernStatus of endpoint.ts) and its era (isModernCode of gatekeeping.ts)",
  async (name, code) => {
    await using listening = await listen(() => {
      throw new RpcError(code, "no");
    });
    const { status } = await fetch(listening.url, modern("tools/list"));
    const isModern = isFromModernServer({ jsonrpc: "2.0", id: 1, error: { code, message: "no" } });
    expect([status, isModern]).toEqual(expected[name as keyof typeof expected]);
  },
);
