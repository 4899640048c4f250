import { checkOptionNames, errorSink, isRecord, kindOf, readLimits, type ResolvedLimits } from "@tenon/base";
import { CallRelay, type Manager } from "@tenon/host";
import type { CloseOptions } from "@tenon/jsonrpc2";
import type { Server } from "@tenon/mcp/server";

import { composeLimits, type ComposeOptions } from "./options.ts";
import type { ComposedSource, SourceSetup } from "./source/composed-source.ts";
import type { ConnectedSource } from "./source/connected-source.ts";
import { createSource, isManager } from "./source/create-source.ts";
import { managedSource } from "./source/managed-source.ts";
import { createRecovering, type Recovering } from "./source/recovering.ts";
import type { ProxySource } from "./source/source.ts";
import { promptTools, resourceTools, withExtraTools } from "./surface/extra-tools.ts";
import { wholeError } from "./surface/failures.ts";
import { mergedSource, type MergedSource } from "./surface/merged-source.ts";
import { isOffered, offeringSource } from "./surface/offering-source.ts";
import { createKnownParts, type Part } from "./surface/part.ts";
import { proxyServer } from "./surface/proxy-server.ts";
import { searchingSource } from "./surface/search.ts";
import { createShares } from "./surface/shares.ts";
import { createUriMap, labelFor, ownUris } from "./surface/uris.ts";
import { checkTransform } from "./transform/check-changes.ts";

/**
 * Composes many servers into one, which speaks every protocol version with its clients, whatever
 * the servers speak. Lists, results, input requests, progress, cancellation, changes and
 * subscriptions pass through. The result is a server like any other: add middleware to it, and
 * serve it over any transport.
 *
 * @example
 * const notes = new Server({ name: "notes", version: "1.0.0" });
 * const fleet = new Manager({ servers: {} });
 * const server = compose({ notes, fleet });
 *
 * @param sources - By name, which is part of the names and URIs that clients see. For a manager
 *   alone its servers have their own names.
 * @returns The server. Its `close` also ends the connections that the composition has opened, but
 *   not what it was given.
 * @throws `TypeError` for a value that is not a source, or options that make no sense. With
 *   `asTools`, `compose` throws the errors of `offers`.
 */
export function compose(
  sources: Manager | Readonly<Record<string, ComposedSource>>,
  options: ComposeOptions = {},
): Server {
  checkOptionNames(
    "compose",
    options,
    [
      "name version instructions transforms:array names whenDown offers:function maySee:function search",
      "asTools:array stateKeys relay onError:function connections:object limits",
    ],
    composeLimits,
  );
  checkChoices(options);
  const { name = "tenon-compose", version = "1.0.0", transforms = [], names, whenDown } = options;
  const own = readLimits(options.limits, composeLimits);
  if (!isRecord(sources)) {
    throw new TypeError(`compose takes sources by name, or a Manager; got ${kindOf(sources)}.`);
  }
  const lanes = options.connections ?? {};
  const sink = errorSink(undefined);
  const report = options.onError ?? ((error: unknown) => sink(error));
  const onError = (error: unknown, source: string): void => report(wholeError(error), source);
  const relay = options.relay ?? new CallRelay({ limits: lanes });
  const setupOf = (source: string): SourceSetup => ({
    relay,
    limits: lanes,
    onError: (error) => onError(error, source),
  });
  const ended = new AbortController();
  const recovering = new Map<Part, Recovering>();
  const collection: PartsOf[] = [];
  const merged: MergedSource = mergedSource({
    ...own,
    info: { name, version },
    instructions: options.instructions,
    relay,
    transforms,
    parts: () => collection.flatMap((each) => each()),
    ownNames: names === "own",
    keepsKnown: whenDown === "keep",
    onError,
    onDown(part) {
      const { source } = part;
      if (isConnectedSource(source)) {
        const known =
          recovering.get(part) ?? createRecovering(source, () => merged.changed(part), ended.signal);
        recovering.set(part, known);
        known.start();
      }
    },
    close: async () => end([]),
  });
  /** @param kept - Sources that stay open. */
  async function end(kept: readonly unknown[]): Promise<void> {
    ended.abort();
    const all = collection.flatMap((each) => each()).map(({ source }) => source);
    const own = all.filter((source) => !kept.includes(source));
    await Promise.allSettled(own.map((source) => source[Symbol.asyncDispose]()));
    await (options.relay === undefined ? relay.close() : undefined);
  }
  try {
    addParts(sources, { setupOf, merged, own, ended: ended.signal, collection });
    const server = proxyServer(surfaceOf(merged, options), {
      relay,
      stateKeys: options.stateKeys,
      pageSize: own.pageSize,
      onError: (error) => onError(error, name),
    });
    for (const { source } of collection.flatMap((each) => each())) {
      source.adopt?.(server);
    }
    return closingWith(server, async () => merged[Symbol.asyncDispose]());
  } catch (error) {
    // The sources that were created listen to managers and servers, which outlive this call.
    end(Object.values(sources)).catch((late: unknown) => onError(late, name));
    throw error;
  }
}

/** A misspelt choice would have no effect. @throws `TypeError` that names the choices. */
function checkChoices({ transforms = [], names, whenDown, asTools = [] }: ComposeOptions): void {
  const choices: readonly (readonly [string, readonly unknown[], readonly string[]])[] = [
    ["names", [names], ["qualified", "own"]],
    ["whenDown", [whenDown], ["hide", "keep"]],
    ["asTools", asTools, ["prompts", "resources"]],
  ];
  for (const [name, given, known] of choices) {
    const wrong = given.find((value) => value !== undefined && !known.some((one) => one === value));
    if (wrong !== undefined) {
      const got = typeof wrong === "string" ? JSON.stringify(wrong.slice(0, 100)) : kindOf(wrong);
      throw new TypeError(`compose: ${name} must be ${known.join(" or ")}; got ${got}.`);
    }
  }
  transforms.forEach(checkTransform);
}

/** The source that clients see: with tools of the composition itself, if there are any. */
function surfaceOf(merged: ProxySource, options: ComposeOptions): ProxySource {
  const { maySee, offers, search, asTools = [] } = options;
  const others = [
    ...(asTools.includes("resources") ? resourceTools(merged) : []),
    ...(asTools.includes("prompts") ? promptTools(merged) : []),
  ].filter(({ tool }) => offers === undefined || isOffered(tool, offers));
  // Here, a search cannot find what is not offered.
  const offered = offers === undefined ? merged : offeringSource(merged, offers);
  if (search === true) {
    return searchingSource(offered, others, maySee);
  }
  return others.length === 0 && maySee === undefined
    ? offered
    : withExtraTools(offered, { extras: others, hidesOthers: false, maySee });
}

/** The parts that one given source has at this moment. */
type PartsOf = () => readonly Part[];

interface Adding {
  readonly setupOf: (name: string) => SourceSetup;
  readonly merged: MergedSource;
  readonly own: ResolvedLimits<{ maxInFlight: number; maxWaiting: number }>;
  /** Aborts when the composition is closed. */
  readonly ended: AbortSignal;
  /** Gets the parts of each source as soon as they exist. */
  readonly collection: PartsOf[];
}

function addParts(
  sources: Manager | Readonly<Record<string, ComposedSource>>,
  { setupOf, merged, own, ended, collection }: Adding,
): void {
  const labels = new Set<string>();
  const names = new Set<string>();
  const isAlone = !isManager(sources) && Object.keys(sources).length === 1;

  function add(wanted: string, source: ProxySource, isSingle = false): Part {
    // A server of a manager may have the name of another source, and tools belong to one part.
    let name = wanted;
    for (let count = 2; names.has(name); count++) {
      name = `${wanted}-${count}`;
    }
    names.add(name);
    const label = labelFor(name, labels);
    labels.add(label);
    const part: Part = {
      name,
      source,
      label,
      uris: isSingle ? ownUris : createUriMap(label),
      shares: createShares(name, own.maxInFlight, own.maxWaiting),
      known: createKnownParts(),
    };
    merged.follow(part);
    return part;
  }

  function addManaged(manager: Manager, prefix: string): void {
    const known = new Map<string, Part>();
    function partOf(name: string): Part {
      let part = known.get(name);
      if (part === undefined) {
        const title = prefix + name;
        part = add(title, managedSource(manager, name, { ...setupOf(title), title }));
        known.set(name, part);
      }
      return part;
    }
    // Without its part, nothing would announce the lists of a server that is added later.
    const stop = manager.on("state", ({ server }) => void partOf(server));
    ended.addEventListener("abort", stop, { once: true });
    const parts = (): readonly Part[] => [...manager.snapshot.keys()].map(partOf);
    collection.push(parts);
    parts();
  }

  for (const [name, given] of isManager(sources) ? [] : Object.entries(sources)) {
    if (isManager(given)) {
      addManaged(given, `${name}-`);
    } else {
      const parts = [add(name, createSource(name, given, setupOf(name)), isAlone)];
      collection.push(() => parts);
    }
  }
  if (isManager(sources)) {
    addManaged(sources, "");
  }
}

function isConnectedSource(source: ProxySource): source is ConnectedSource {
  return "recover" in source && "isConnected" in source;
}

/** A server owns nothing but its sessions, so what else ends with it is added to the object. */
function closingWith(server: Server, end: () => Promise<void>): Server {
  const close = server.close.bind(server);
  return Object.assign(server, {
    async close(options?: CloseOptions): Promise<void> {
      await close(options);
      await end();
    },
  });
}
