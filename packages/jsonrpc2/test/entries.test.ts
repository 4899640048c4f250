import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import * as contract from "@tenon/jsonrpc2";
import * as core from "@tenon/jsonrpc2/core";
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

test("the core is all of the main entry but the peer", () => {
  expect([...Object.keys(core), "Peer"].sort()).toEqual(Object.keys(contract).sort());
});

test("only what needs the peer takes values from the main entry, so that bundles load the peer where it is used", () => {
  const packages = join(import.meta.dirname, "../..");
  const sources = readdirSync(packages)
    .filter((name) => name !== "jsonrpc2")
    .flatMap((name) =>
      readdirSync(join(packages, name, "src"), { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(".ts"))
        .map((path) => join(name, "src", path)),
    );
  expect(sources.length).toBeGreaterThan(500);
  const values = /^(?:import|export) \{([^}]*)\} from "@tenon\/jsonrpc2";/gm;
  const needless = sources.filter((path) =>
    [...readFileSync(join(packages, path), "utf8").matchAll(values)].some(
      ([, names = ""]) => !/(?<!type )\bPeer\b/.test(names),
    ),
  );
  expect(needless).toEqual([]);
});
