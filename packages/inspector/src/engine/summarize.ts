import { isRecord } from "@tenon/base";
import { MetaKey, metaOf, type Era } from "@tenon/protocol";

import type { Outcome, Summary, TaskMark } from "../wire/summary.ts";
import { brief, startOf } from "./brief.ts";
import type { Fact } from "./fact.ts";
import { createLanes } from "./lanes.ts";
import { progressIn, taskIn, taskProgressIn } from "./marks.ts";
import { subjectOf } from "./subject.ts";

/** The maximum number of open requests and of states that are remembered. */
const maxRemembered = 10_000;
/** The maximum number of requests that one line ends. */
const maxEnds = 1000;
/** The maximum lengths of the strings that peers choose, in summaries and in keys of tables. */
const maxIdLength = 200;
const maxMethodLength = 200;
/** The last words of a program have up to 5,000 characters, of which the last matter most. */
const maxTitleLength = 10_000;

interface Open {
  readonly seq: number;
  readonly at: number;
  readonly method: string;
  readonly subject: string | undefined;
  readonly era: Era | undefined;
  /** Absent for a request beyond the lanes, and for one that was given up. */
  lane: number | undefined;
  readonly task: TaskMark | undefined;
  readonly round: number;
  /** The key of its progress token. */
  readonly stream: string | undefined;
  /** How long the request waited in the inspector before it was sent, in milliseconds. */
  readonly queued: number | undefined;
  /** Whether no response is expected any more. */
  hasEnded: boolean;
  /** When something came for the request first: the head of an HTTP response, or a message. */
  firstAt: number | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** The part of a line that depends on the lines before it. */
type Placed = Omit<Summary, "seq" | "at" | "connection" | "server" | "to" | "bytes" | "cut">;

/** The requests to a server that have no response yet. */
export interface OpenRequests {
  /** The line of an open request to the server, by its ID as JSON. */
  requestOf(connection: number, id: string): number | undefined;
  /**
   * The connections that have an open request to the server with this ID. Requests that were given
   * up count only if there are no others.
   */
  connectionsOf(id: string): readonly number[];
  /** Whether a request to the server waits for its response. */
  isWaiting(connection: number): boolean;
  /** Remembers when the person has asked for a request that is not sent yet. */
  queue(connection: number, id: string, at: number): void;
}

/** Turns facts into lines: pairs requests with responses, and finds rounds, streams and lanes. */
export interface Summarizer extends OpenRequests {
  summarize(fact: Fact, seq: number, bytes: number): Summary;
}

/** Creates a summarizer that has seen nothing. */
export function createSummarizer(): Summarizer {
  const open = new Map<string, Open>();
  const streams = new Map<string, string>();
  /** The requests that have become tasks, by their progress tokens. */
  const taskStreams = new Map<string, number>();
  /** Requests that got `input_required`, by their state or their subject. */
  const waiting = new Map<string, Open>();
  const eras = new Map<number, Era>();
  const queue = new Map<string, number>();
  const lanes = createLanes();

  /** Returns the value that was replaced: of the same key, or the oldest if the map is full. */
  function remember<V>(map: Map<string, V>, key: string, value: V): V | undefined {
    const [oldest = key] = map.keys();
    const replaced = map.has(key) || map.size < maxRemembered ? key : oldest;
    const before = map.get(replaced);
    map.delete(replaced);
    map.set(key, value);
    return before;
  }

  function request(message: Json, fact: Fact, to: string, seq: number): Placed {
    const { method, params } = message as { method: string; params?: unknown };
    const id = idOf(message["id"]);
    const key = `${fact.connection} ${to} ${id}`;
    const era = eras.get(fact.connection);
    const subject = subjectOf(method, params);
    const earlier =
      isRecord(params) && "inputResponses" in params ? waiting.get(roundKey(params)) : undefined;
    const round = earlier === undefined ? 1 : earlier.round + 1;
    const lane = lanes.take();
    const since = queue.get(key);
    queue.delete(key);
    const queued = since === undefined ? undefined : rounded(fact.at - since);
    const task = method.startsWith("tasks/") ? taskIn(params) : undefined;
    const { at } = fact;
    const token = metaOf(params)?.["progressToken"];
    const stream = token === undefined ? undefined : streamKey(fact.connection, to, token);
    const rest = { hasEnded: false, firstAt: undefined };
    const asked = { seq, at, method, subject, era, lane, task, round, stream, queued, ...rest };
    const replaced = remember<Open>(open, key, asked);
    if (replaced !== undefined) {
      giveUp(replaced);
    }
    if (stream !== undefined) {
      remember(streams, stream, key);
    }
    return {
      kind: "request",
      method,
      id,
      subject,
      era,
      lane,
      lanes: lanes.taken,
      preview: brief(params ?? {}),
      ...(task === undefined ? {} : { task }),
      ...(earlier === undefined ? {} : { continues: earlier.seq, round }),
    };
  }

  function response(message: Json, fact: Fact, to: string): Placed {
    const id = idOf(message["id"]);
    const key = `${fact.connection} ${to === "client" ? "server" : "client"} ${id}`;
    const asked = open.get(key);
    open.delete(key);
    const outcome = outcomeOf(message);
    const { result } = message;
    if (outcome === "input" && asked !== undefined && isRecord(result)) {
      remember(waiting, roundKey(result), asked);
    }
    const task = taskIn(result) ?? asked?.task;
    const progress = taskProgressIn(result);
    const placed: Placed = {
      kind: "response",
      id,
      outcome,
      preview: brief(message["error"] ?? result),
      lanes: lanes.taken,
      era: asked?.era ?? eras.get(fact.connection),
      ...(task === undefined ? {} : { task }),
      ...(progress === undefined ? {} : { progress }),
      ...(asked === undefined
        ? {}
        : {
            method: asked.method,
            subject: asked.subject,
            request: asked.seq,
            ms: rounded(fact.at - asked.at),
            firstByte: rounded((asked.firstAt ?? fact.at) - asked.at),
            ...(asked.queued === undefined ? {} : { queued: asked.queued }),
            lane: asked.lane,
          }),
    };
    if (asked !== undefined) {
      giveUp(asked);
      if (asked.stream !== undefined && taskIn(result) !== undefined) {
        remember(taskStreams, asked.stream, asked.seq);
      }
    }
    return placed;
  }

  function notification(message: Json, fact: Fact, to: string): Placed {
    const { method, params } = message as { method: string; params?: unknown };
    const other = to === "client" ? "server" : "client";
    const isCancelled = method === "notifications/cancelled";
    const meta = metaOf(params);
    const listen = meta?.[MetaKey.subscriptionId];
    const record = isRecord(params) ? params : {};
    const owner = isCancelled
      ? open.get(`${fact.connection} ${to} ${idOf(record["requestId"])}`)
      : (open.get(streams.get(streamKey(fact.connection, other, record["progressToken"])) ?? "") ??
        (listen === undefined ? undefined : openListen(fact.connection, other, listen)));
    if (owner !== undefined) {
      owner.firstAt ??= fact.at;
    }
    const task = method.startsWith("notifications/tasks") ? taskIn(params) : undefined;
    const progress = progressIn(method, params) ?? (task === undefined ? undefined : taskProgressIn(params));
    const outcome = task === undefined ? "ok" : outcomeOf({ result: params });
    const request = owner?.seq ?? taskStreams.get(streamKey(fact.connection, other, record["progressToken"]));
    const lane = owner?.lane;
    if (isCancelled && owner !== undefined) {
      giveUp(owner);
    }
    return {
      kind: "notification",
      method,
      subject: subjectOf(method, params),
      era: eras.get(fact.connection),
      preview: brief(params ?? {}),
      lanes: lanes.taken,
      ...(outcome === "ok" ? {} : { outcome }),
      ...(progress === undefined ? {} : { progress }),
      ...(task === undefined ? {} : { task }),
      ...(request === undefined ? {} : { request, lane }),
      ...(isCancelled && request !== undefined ? { ends: [request] } : {}),
    };
  }

  /** Marks a request as ended, and frees its lane. A late response is still paired with it. */
  function giveUp(asked: Open): void {
    lanes.free(asked.lane);
    asked.lane = undefined;
    asked.hasEnded = true;
  }

  /** The ID of a subscription is the ID of its request, as a string. */
  function openListen(connection: number, to: string, id: unknown): Open | undefined {
    return open.get(`${connection} ${to} ${idOf(id)}`) ?? open.get(`${connection} ${to} ${String(id)}`);
  }

  function place(fact: Fact, seq: number): Placed {
    if (!("message" in fact)) {
      const { kind, title, detail, outcome, ms, of } = fact;
      const owner = of === undefined ? undefined : open.get(`${fact.connection} server ${of}`);
      const lane = owner?.lane;
      if (owner !== undefined) {
        owner.firstAt ??= fact.at;
      }
      const ends = kind === "end" ? endOf(fact.connection) : owner && outcome !== "ok" ? [owner.seq] : [];
      if (owner !== undefined && ends.length > 0) {
        giveUp(owner);
      }
      return {
        kind,
        subject: startOf(title, maxTitleLength),
        outcome,
        ms,
        preview: detail === undefined ? "" : brief(detail),
        lanes: lanes.taken,
        ...(owner === undefined ? {} : { request: owner.seq, lane }),
        ...(ends.length === 0 ? {} : { ends }),
      };
    }
    const { message, to } = fact;
    if (!isRecord(message)) {
      return { kind: "problem", subject: "not a message", preview: brief(message), lanes: lanes.taken };
    }
    noteEra(message, fact.connection);
    if (typeof message["method"] !== "string") {
      return response(message, fact, to);
    }
    const named = { ...message, method: startOf(message["method"], maxMethodLength) };
    return "id" in message ? request(named, fact, to, seq) : notification(named, fact, to);
  }

  function noteEra({ method, params }: Json, connection: number): void {
    if (method === "initialize") {
      eras.set(connection, "legacy");
    } else if (typeof metaOf(params)?.[MetaKey.protocolVersion] === "string") {
      eras.set(connection, "modern");
    }
  }

  /** The requests of a connection that has ended. They get no response. */
  function endOf(connection: number): readonly number[] {
    const ended: number[] = [];
    for (const [key, asked] of open) {
      if (key.startsWith(`${connection} `)) {
        open.delete(key);
        if (!asked.hasEnded) {
          giveUp(asked);
          ended.push(asked.seq);
        }
      }
    }
    eras.delete(connection);
    return ended.slice(-maxEnds);
  }

  return {
    summarize(fact, seq, bytes) {
      const { at, connection, to } = fact;
      return { seq, at, connection, ...(to === undefined ? {} : { to }), bytes, ...place(fact, seq) };
    },
    requestOf: (connection, id) => open.get(`${connection} server ${id}`)?.seq,
    connectionsOf(id) {
      const found = [...open].filter(([key]) => key.endsWith(` server ${id}`));
      const waiting = found.filter(([, { hasEnded }]) => !hasEnded);
      return (waiting.length === 0 ? found : waiting).map(([key]) => Number.parseInt(key, 10));
    },
    isWaiting: (connection) =>
      [...open].some(([key, { hasEnded }]) => !hasEnded && key.startsWith(`${connection} server `)),
    queue(connection, id, at) {
      remember(queue, `${connection} server ${id}`, at);
    },
  };
}

function streamKey(connection: number, to: string, token: unknown): string {
  return `${connection} ${to} ${idOf(token)}`;
}

/** An ID or a token as JSON. */
function idOf(value: unknown): string | undefined {
  return value === undefined ? undefined : brief(value, maxIdLength);
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** The same key for a result that requires input, and for the request that continues it. */
function roundKey(value: Json): string {
  const { requestState, inputRequests, inputResponses } = value;
  if (requestState !== undefined) {
    return `state ${brief(requestState, 1000)}`;
  }
  const named = isRecord(inputRequests) ? inputRequests : inputResponses;
  return `names ${isRecord(named) ? startOf(Object.keys(named).sort().join(" "), 1000) : ""}`;
}

function outcomeOf({ error, result }: Json): Outcome {
  if (error !== undefined) {
    return "error";
  }
  if (!isRecord(result)) {
    return "ok";
  }
  if (result["resultType"] === "input_required") {
    return "input";
  }
  // The last state of a task has the result of its call.
  const { isError } =
    typeof result["taskId"] === "string" && isRecord(result["result"]) ? result["result"] : result;
  const isFailed = isError === true || taskIn(result)?.status === "failed";
  return isFailed ? "failed" : "ok";
}
