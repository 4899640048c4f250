import { isRecord } from "@tenon/base";
import type { CallRelay, LaneCaller, ListItems, ListKind } from "@tenon/host";
import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import {
  isInputRequired,
  resourceNotFound,
  unknownPrompt,
  unknownTool,
  type ServerChange,
  type ServerRequest,
} from "@tenon/mcp/server";

import { aborted } from "../source/aborted.ts";
import { freshAs } from "../source/freshness.ts";
import { isTask } from "../source/source-tasks.ts";
import type { Audience, ListListener, ReceivedParams, ProxySource } from "../source/source.ts";
import type { Transform } from "../transform/changes.ts";
import { again } from "./again.ts";
import { createChanges } from "./changes.ts";
import { failureFor } from "./failures.ts";
import { gather } from "./gather.ts";
import { mergedSkills } from "./merged-skills.ts";
import { mergedTasks } from "./merged-tasks.ts";
import { createMerging } from "./merging.ts";
import { createOffers, type Offer } from "./offers.ts";
import type { Part } from "./part.ts";
import { together } from "./together.ts";
import { withLinks } from "./uris.ts";

/** Options of {@link mergedSource}. */
export interface MergedOptions {
  readonly info: ProxySource["info"];
  readonly instructions: string | undefined;
  readonly relay: CallRelay;
  /** The parts at this moment, in their order. */
  readonly parts: () => readonly Part[];
  readonly transforms: readonly Transform[];
  readonly ownNames: boolean;
  /** Whether the known items of a part replace a list that fails. */
  readonly keepsKnown: boolean;
  readonly listTimeoutMs: number;
  readonly changeIntervalMs: number;
  readonly onError: (error: unknown, source: string) => void;
  /** Called with a part that cannot list. */
  readonly onDown: (part: Part) => void;
  /** Ends the parts. */
  readonly close: () => Promise<void>;
}

/** A source that may have a resource, and the URI there. */
interface Candidate {
  readonly part: Part;
  readonly own: string;
}

/** Many sources as one. */
export interface MergedSource extends ProxySource {
  /** Follows the changes of a part. */
  follow(part: Part): void;
  /** Announces that all lists of a part may have changed. */
  changed(part: Part): void;
}

const noCompletion = { completion: { values: [] } };

/** Merges sources. Names and URIs of their items are mapped, and so are the links in results. */
export function mergedSource(options: MergedOptions): MergedSource {
  const { relay, onError } = options;
  const offers = createOffers(options);
  const merging = createMerging();
  let listener: ListListener = () => {};
  const tasks = mergedTasks({
    parts: options.parts,
    outward: (result, part) => withLinks(result, part.uris),
    changeOf,
    failed,
  });
  const changes = createChanges(options.changeIntervalMs, (change, audience) => listener(change, audience));
  const gathering = {
    callerOf: (request: ServerRequest): LaneCaller => relay.callerOf(request),
    listTimeoutMs: options.listTimeoutMs,
    keepsKnown: options.keepsKnown,
    onFailure: (part: Part, error: unknown) => {
      onError(error, part.name);
      options.onDown(part);
    },
    onLate: (part: Part, kind: ListKind) => changes.announce(part, methodOf(kind), undefined),
  };

  async function list<K extends ListKind>(kind: K, request: ServerRequest): Promise<readonly ListItems[K][]> {
    const parts = options.parts();
    const lists = await gather(kind, parts, request, gathering);
    const merged = merging.merged(kind, lists, (items, index) =>
      offers.shown(kind, parts[index] as Part, items as readonly ListItems[K][]),
    );
    freshAs(merged, lists);
    return merged as readonly ListItems[K][];
  }

  /** Calls a tool or gets a prompt whose place is known. */
  function forwardTo(offer: Offer, request: ServerRequest, params: ReceivedParams, method: string): unknown {
    const { part, name, inward } = offer;
    const args = params["arguments"];
    const shown = String(params["name"]);
    const named = name === params["name"] ? params : { ...params, name };
    const own = inward === undefined ? named : { ...named, arguments: inward(isRecord(args) ? args : {}) };
    return part.shares.run(request, () => {
      const result = part.source.forward(request, own, method);
      return result instanceof Promise
        ? result.then(
            (value: unknown) => answered(value, offer, shown),
            (error: unknown) => failed(part, request, error),
          )
        : answered(result, offer, shown);
    });
  }

  /** The error of a source for the caller, and the whole of it for `onError`. */
  function failureOf({ name }: Part, error: unknown): RpcError {
    return failureFor(error, { name, onError: (report) => onError(report, name) });
  }

  function failed(part: Part, { signal }: ServerRequest, error: unknown): never {
    throw signal.aborted ? error : failureOf(part, error);
  }

  function forwardNamed(
    kind: "tools" | "prompts",
    request: ServerRequest,
    params: ReceivedParams,
    method: string,
  ): unknown {
    const name = String(params["name"]);
    const offer = offers.find(kind, name);
    if (offer !== undefined) {
      return forwardTo(offer, request, params, method);
    }
    return list(kind, request).then(() => {
      const found = offers.find(kind, name);
      if (found === undefined) {
        throw kind === "tools" ? unknownTool(name) : unknownPrompt(name);
      }
      return forwardTo(found, request, params, method);
    });
  }

  async function readResource(
    request: ServerRequest,
    params: ReceivedParams,
    method: string,
  ): Promise<unknown> {
    const uri = String(params["uri"]);
    const before = relay.serverOf(request);
    const candidates = candidatesFor(uri).filter(({ part }) => before === undefined || part.name === before);
    let failure: unknown = resourceNotFound(uri, request.revision);
    // A URL of the web does not name its source.
    for (const { part, own, isListed } of await inOrderOfLists(candidates, request)) {
      try {
        const send = (): unknown => part.source.forward(request, { ...params, uri: own }, method);
        return answered(await part.shares.run(request, send), { part, outward: undefined }, "");
      } catch (error) {
        request.signal.throwIfAborted();
        failure = failureOf(part, error);
        if (isListed) {
          break;
        }
      }
    }
    throw failure;
  }

  async function* watchOf(
    { part, own }: Candidate,
    caller: LaneCaller,
    signal: AbortSignal,
  ): AsyncGenerator<{ readonly uri: string }> {
    for await (const update of part.source.watch?.(own, caller, signal) ?? []) {
      yield { uri: part.uris.outward(update.uri) };
    }
  }

  function candidatesFor(uri: string): readonly Candidate[] {
    return options.parts().flatMap((part) => {
      const own = part.uris.inward(uri);
      return own === undefined ? [] : [{ part, own }];
    });
  }

  /** The candidates that list the resource come first. */
  async function inOrderOfLists(
    candidates: readonly Candidate[],
    request: ServerRequest,
  ): Promise<readonly (Candidate & { readonly isListed: boolean })[]> {
    if (candidates.length < 2) {
      return candidates.map((candidate) => ({ ...candidate, isListed: true }));
    }
    const parts = candidates.map(({ part }) => part);
    const lists = await gather("resources", parts, request, gathering);
    const has = (index: number): boolean =>
      lists[index]?.some(({ uri }) => uri === candidates[index]?.own) === true;
    return candidates
      .map((candidate, index) => ({ ...candidate, isListed: has(index) }))
      .toSorted((a, b) => Number(b.isListed) - Number(a.isListed));
  }

  async function complete(request: ServerRequest, params: ReceivedParams = request.params): Promise<object> {
    const ref = isRecord(params["ref"]) ? params["ref"] : {};
    if (ref["type"] === "ref/prompt") {
      const name = String(ref["name"]);
      if (offers.find("prompts", name) === undefined) {
        await list("prompts", request);
      }
      const offer = offers.find("prompts", name);
      return offer === undefined
        ? noCompletion
        : completeAt(offer.part, request, { ...params, ref: { ...ref, name: offer.name } });
    }
    const uri = String(ref["uri"]);
    for (const { part, own } of candidatesFor(uri)) {
      const [templates = []] = await gather("resourceTemplates", [part], request, gathering);
      const [resources = []] = await gather("resources", [part], request, gathering);
      if (
        templates.some(({ uriTemplate }) => uriTemplate === own) ||
        resources.some((each) => each.uri === own)
      ) {
        return completeAt(part, request, { ...params, ref: { ...ref, uri: own } });
      }
    }
    return noCompletion;
  }

  function completeAt(part: Part, request: ServerRequest, params: ReceivedParams): Promise<object> {
    return part.source.complete(request, params).catch((error: unknown) => failed(part, request, error));
  }

  return {
    info: options.info,
    instructions: options.instructions,
    capabilities: { tools: {}, prompts: {}, resources: {}, completions: {}, logging: {} },
    tasks,
    skills: mergedSkills({ ...gathering, parts: options.parts, candidatesFor, failureOf }),
    list,
    forward(request, params = request.params, method = request.method) {
      switch (method) {
        case "tools/call":
          return forwardNamed("tools", request, params, method);
        case "prompts/get":
          return forwardNamed("prompts", request, params, method);
        case "resources/read":
          return readResource(request, params, method);
        default:
          throw new RpcError(ErrorCode.MethodNotFound, `Cannot forward ${method}.`);
      }
    },
    complete,
    async *watch(uri, caller, signal) {
      const candidates = candidatesFor(uri).filter(({ part }) => part.source.watch !== undefined);
      const [only, ...others] = candidates;
      if (only === undefined) {
        await aborted(signal);
      } else if (others.length === 0) {
        yield* watchOf(only, caller, signal);
      } else {
        // Any of them may have the resource, and one that fails must not end the others.
        const watches = candidates.map(
          (candidate) => (until: AbortSignal) =>
            again(
              () => watchOf(candidate, caller, until),
              until,
              (error) => onError(error, candidate.part.name),
            ),
        );
        yield* together(watches, signal);
      }
    },
    async subscribed(uri, session, isWatched) {
      for (const { part, own } of candidatesFor(uri)) {
        await part.source.subscribed?.(own, session, isWatched);
      }
    },
    audienceOf(caller): Audience {
      return options.parts().every(({ source }) => source.audienceOf(caller) === undefined)
        ? undefined
        : caller;
    },
    keep(caller, signal) {
      // A part that does not connect must not delay the changes of the others.
      const kept = options.parts().map(({ source }) => source.keep(caller, signal).catch(() => () => {}));
      return Promise.resolve(() => kept.forEach((each) => void each.then((release) => release())));
    },
    rootsChanged: (session) => options.parts().forEach(({ source }) => source.rootsChanged(session)),
    logLevelChanged: (session, level) =>
      options.parts().forEach(({ source }) => source.logLevelChanged?.(session, level)),
    onListChange(next) {
      listener = next;
    },
    follow(part) {
      part.source.onDown?.(() => options.onDown(part));
      part.source.onListChange?.((change, audience) => {
        const { method } = change as ServerChange & { readonly method?: string };
        if (method === undefined) {
          allLists.forEach((each) => changes.announce(part, each, audience));
        } else {
          changes.announce(part, method, audience);
        }
      });
    },
    changed: (part) => allLists.forEach((method) => changes.announce(part, method, undefined)),
    async [Symbol.asyncDispose]() {
      changes.close();
      await options.close();
    },
  };

  /**
   * A result for clients. What requires input has no links yet.
   *
   * @param name - The name by which clients know the tool or prompt.
   */
  function answered(
    result: unknown,
    { part, outward }: Pick<Offer, "part" | "outward">,
    name: string,
  ): unknown {
    if (isTask(result)) {
      return tasks.started(result, part, outward === undefined ? undefined : name);
    }
    if (isInputRequired(result) || !isRecord(result) || "resultType" in result) {
      const isDone = isRecord(result) && result["resultType"] === "complete";
      return isDone && !isInputRequired(result) ? mappedResult(result, part, outward) : result;
    }
    return mappedResult(result, part, outward);
  }

  /** The change of the results of a tool that clients know by a name. */
  async function changeOf(name: string, request: ServerRequest): Promise<NonNullable<Offer["outward"]>> {
    if (offers.find("tools", name) === undefined) {
      await list("tools", request);
    }
    const change = offers.find("tools", name)?.outward;
    if (change === undefined) {
      const problem = "The result of the task cannot be shown: its tool is not offered any more.";
      throw new RpcError(ErrorCode.InternalError, problem);
    }
    return change;
  }

  function mappedResult(result: ReceivedParams, part: Part, outward: Offer["outward"]): unknown {
    const linked = withLinks(result, part.uris);
    return outward === undefined ? linked : outward(linked);
  }
}

const allLists = ["tools", "prompts", "resources"].map((list) => `notifications/${list}/list_changed`);

function methodOf(kind: ListKind): string {
  return `notifications/${kind === "resourceTemplates" ? "resources" : kind}/list_changed`;
}
