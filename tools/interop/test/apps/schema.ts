import { createRequire } from "node:module";

import { isNotification, isRequest, isResponse, wrapTransport, type RequestId } from "@tenon/jsonrpc2";
import type { Transport } from "@tenon/sdk/client";
import { compile } from "@tenon/sdk/jsonschema";

interface OfficialSchema {
  readonly $defs: Readonly<
    Record<string, { readonly properties?: { readonly method?: { readonly const?: string } } }>
  >;
}

const schema = createRequire(import.meta.url)("@modelcontextprotocol/ext-apps/schema.json") as OfficialSchema;

/** The definitions of requests and notifications by method. */
const byMethod = new Map(
  Object.entries(schema.$defs).flatMap(([name, { properties }]) => {
    const method = properties?.method?.const;
    return method === undefined ? [] : [[method, name] as const];
  }),
);

/** The official methods, for tests that want to see all of them. */
export const officialMethods: readonly string[] = [...byMethod.keys()].toSorted();

// The official schema refers to a definition of JSON Schemas that it does not have.
const definitions = { ...schema.$defs, __schema0: true };

function problemOf(name: string, value: unknown): string | undefined {
  const validator = compile({ $ref: `#/$defs/${name}`, $defs: definitions } as never);
  const result = validator.check(JSON.parse(JSON.stringify(value)));
  return result.valid ? undefined : `${name}: ${JSON.stringify(value)}`;
}

/** The messages that have crossed a transport. */
export interface Crossed {
  /** Methods in both directions, in order. */
  readonly methods: string[];
  /** Messages that do not match the official schema. */
  readonly problems: string[];
  readonly transport: Transport;
}

/** Wraps a transport: every message in both directions is checked against the official schema. */
export function checked(inner: Transport): Crossed {
  const methods: string[] = [];
  const problems: string[] = [];
  // Both ends number their requests from 1.
  const read: Names = new Map();
  const written: Names = new Map();
  type Names = Map<RequestId, string>;
  const take = <T>(message: T, requests: Names, responses: Names): T => {
    const plain = message as Parameters<typeof isRequest>[0];
    if (isRequest(plain) || isNotification(plain)) {
      methods.push(plain.method);
      const name = byMethod.get(plain.method);
      const problem =
        name === undefined ? undefined : problemOf(name, { method: plain.method, params: plain.params });
      problems.push(...(problem === undefined ? [] : [problem]));
      if (isRequest(plain) && name !== undefined) {
        requests.set(plain.id, name.replace(/Request$/, "Result"));
      }
    } else if (isResponse(plain) && "result" in plain) {
      const name = responses.get(plain.id);
      const problem =
        name === undefined || !(name in schema.$defs) ? undefined : problemOf(name, plain.result);
      problems.push(...(problem === undefined ? [] : [problem]));
    }
    return message;
  };
  return {
    methods,
    problems,
    transport: wrapTransport(inner, {
      onRead: (message) => take(message, read, written),
      onWrite: (message) => take(message, written, read),
    }),
  };
}
