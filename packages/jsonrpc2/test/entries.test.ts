import * as contract from "@tenon/jsonrpc2";
import * as kit from "@tenon/jsonrpc2/transport";
import { expect, test } from "vitest";

test("the main entry exports the contract of peers, transports and messages, and no building block", () => {
  expect(Object.keys(contract).sort()).toEqual([
    "ErrorCode",
    "LocalError",
    "LoggingTransport",
    "Peer",
    "RpcError",
    "compose",
    "connectionClosed",
    "defaultLimits",
    "encode",
    "extra",
    "isBatch",
    "isLocalError",
    "isMalformed",
    "isMany",
    "isNotification",
    "isRequest",
    "isResponse",
    "isRpcError",
    "isUndeliverable",
    "localErrors",
    "methodHandler",
    "methodNotFound",
    "systemClock",
    "undeliverable",
    "withExtra",
    "wrapTransport",
  ]);
});

test("no building block for transports has the name of an export of the contract", () => {
  expect(Object.keys(kit).filter((name) => name in contract)).toEqual([]);
});
