import { signal, type Signal } from "@preact/signals";
import { parseLock, type Definitions } from "@tenon/testing";
import { parseCassette, type Cassette } from "@tenon/testing/cassette";

import { readWhole } from "./api.ts";
import { asSchema, text, type Schema } from "./form/shape.ts";
import { definitions, isOfServer, lines } from "./store.ts";

/** A request and its response, as they are compared. */
export interface Exchange {
  readonly request: Schema;
  readonly response: Schema | undefined;
}

/** Another session that this one is compared with: a cassette or a lock file. */
export interface OtherSession {
  readonly name: string;
  readonly definitions: Definitions;
  readonly exchanges: ReadonlyMap<string, Exchange>;
}

/** The other session, once the person has chosen its file. */
export const other: Signal<OtherSession | undefined> = signal(undefined);
/** The line that the selected one is compared with. */
export const marked: Signal<number | undefined> = signal(undefined);

/** The most exchanges that are compared. */
const maxExchanges = 2000;

const lists: Readonly<Record<string, keyof Definitions>> = {
  "tools/list": "tools",
  "prompts/list": "prompts",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
};

/** Parameters that differ every time. */
const volatile = ["_meta", "cursor", "clientInfo"];

/** A key for equal requests: the method and the parameters, without volatile ones. */
export function keyOf(request: Schema): string {
  const params = Object.entries(asSchema(request["params"])).filter(([name]) => !volatile.includes(name));
  return `${text(request["method"])} ${JSON.stringify(Object.fromEntries(params))}`;
}

/** The definitions in the responses of a session. Further pages of a list are added to it. */
export function definitionsIn(exchanges: Iterable<Exchange>): Definitions {
  const found: Record<string, unknown[]> = { tools: [], prompts: [], resources: [], resourceTemplates: [] };
  for (const { request, response } of exchanges) {
    const list = lists[text(request["method"])];
    const items = list === undefined ? undefined : asSchema(response?.["result"])[list];
    if (list !== undefined && Array.isArray(items)) {
      const isFirst = asSchema(request["params"])["cursor"] === undefined;
      found[list] = isFirst ? items : [...(found[list] ?? []), ...(items as unknown[])];
    }
  }
  return found as unknown as Definitions;
}

function exchangesIn({ header, entries }: Cassette): Exchange[] {
  const exchanges: { request: Schema; response: Schema | undefined; key: string }[] = [];
  const open = new Map<string, { request: Schema; response: Schema | undefined; key: string }>();
  const fromClient = header.side === "client" ? "write" : "read";
  for (const entry of entries) {
    const message = asSchema("message" in entry ? entry.message : undefined);
    const key = `${entry.connection} ${JSON.stringify(message["id"])}`;
    if (entry.dir === fromClient && "method" in message && "id" in message) {
      const exchange = { request: message, response: undefined, key };
      open.set(key, exchange);
      exchanges.push(exchange);
    } else if (!("method" in message)) {
      const exchange = open.get(key);
      if (exchange !== undefined) {
        exchange.response = message;
      }
    }
  }
  return exchanges.slice(0, maxExchanges);
}

/** Reads a cassette or a lock file. @throws `SyntaxError` for any other text. */
export function readOther(name: string, text: string): OtherSession {
  if (
    /^\s*\{\s*"tenon"[^\n]*\n\s*"server"|"definitions"\s*:/.test(text.slice(0, 2000)) &&
    !text.startsWith('{"tenon":1,"side"')
  ) {
    return { name, definitions: parseLock(text).definitions, exchanges: new Map() };
  }
  const exchanges = exchangesIn(parseCassette(text));
  return {
    name,
    definitions: definitionsIn(exchanges),
    exchanges: new Map(exchanges.map((exchange) => [keyOf(exchange.request), exchange])),
  };
}

/** The exchanges of this session. */
export async function ownExchanges(): Promise<readonly Exchange[]> {
  const found: Exchange[] = [];
  const answers = lines
    .filter((line) => line.kind === "response" && line.to === "client" && isOfServer(line))
    .slice(-maxExchanges);
  for (const { seq, request } of answers) {
    const [asked, answered] = await Promise.all([
      request === undefined ? undefined : readWhole(request),
      readWhole(seq),
    ]);
    if (asked !== undefined && answered !== undefined) {
      found.push({ request: JSON.parse(asked) as Schema, response: JSON.parse(answered) as Schema });
    }
  }
  return found;
}

/** The definitions of this session: of the server, or in the responses that are shown. */
export async function ownDefinitions(): Promise<Definitions> {
  const { value } = definitions;
  return (value as Definitions | undefined) ?? definitionsIn(await ownExchanges());
}
