import { computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";

import type { Definitions } from "../wire/action.ts";
import type { InspectorEvent, InspectorState, ServerState } from "../wire/state.ts";
import type { Summary } from "../wire/summary.ts";
import { act, definitions as readDefinitions } from "./api.ts";
import { createBelonging, type Belonging } from "./belonging.ts";
import { dropOldest } from "./drop-oldest.ts";
import { createTimes, type TimesTable } from "./percentiles.ts";
import { indexOfSeq } from "./seq-index.ts";
import { keepServers, ownSignal, server, setOwn, showServer } from "./servers.ts";
import { createShown, type ShownLines } from "./shown.ts";
import { createTasks, type SeenTasks } from "./tasks.ts";
import type { View } from "./view-table.ts";

/** The view that is shown. */
export const view: Signal<View> = signal<View>("start");
/** Whether the page is connected to its inspector, and why it never will be again. */
export const connection: Signal<{ readonly connected: boolean; readonly reason?: string | undefined }> =
  signal({ connected: false });
/** The last state of the inspector, with all servers. */
export const inspector: Signal<InspectorState | undefined> = signal(undefined);
/** The last state of the inspector and of the server that the page shows. */
export const state: ReadonlySignal<(InspectorState & ServerState) | undefined> = computed(() => {
  const { value } = inspector;
  const shownServer = value?.servers.find(({ id }) => id === server.value) ?? value?.servers[0];
  return value === undefined || shownServer === undefined ? undefined : { ...value, ...shownServer };
});
/** Whether requests can be sent: the session is open, and the page is connected. */
export const isOpen: ReadonlySignal<boolean> = computed(
  () => connection.value.connected && state.value?.source.phase === "open",
);
/** All lines, in order. The array itself changes; read {@link version} to follow it. */
export const lines: Summary[] = [];
/** The lines that ended requests, by the line of the request: its response, or why none comes. */
export const answers: Map<number, Summary> = new Map();
/** The lines of each request. */
export const belonging: Belonging = createBelonging();
/** The tasks in the messages. */
export const tasks: SeenTasks = createTasks();
/** The durations of all requests, by server. */
const timesOf = new Map<string, TimesTable>();
/** Counted up when {@link lines} has changed, at most once for each frame. */
export const version: Signal<number> = signal(0);
/** As {@link version}, at most four times a second: for what takes long to draw. */
export const slowVersion: Signal<number> = signal(0);
/** Counted up when all lines were removed. */
export const clearings: Signal<number> = signal(0);
/** The filter, as the person wrote it. */
export const filter: Signal<string> = ownSignal("");
/** Whether the timeline shows the lines of all servers. */
export const showsAll: Signal<boolean> = signal(false);
/** The line that is selected. */
export const selected: Signal<number | undefined> = ownSignal<number | undefined>(undefined);
/** The lists of the server. */
export const definitions: Signal<Definitions | undefined> = ownSignal<Definitions | undefined>(undefined);
/** A sentence for the person, removed after some seconds. Screen readers read it aloud. */
export const notice: Signal<string> = signal("");
/** A method and its parameters, to be tried. */
export const draft: Signal<
  { readonly method: string; readonly params: Readonly<Record<string, unknown>> } | undefined
> = ownSignal<{ readonly method: string; readonly params: Readonly<Record<string, unknown>> } | undefined>(
  undefined,
);

/** Whether a line is of the server that the page shows. */
export function isOfServer(line: { readonly server?: string | undefined }): boolean {
  return line.server === undefined || line.server === server.value;
}

/** The newest lines of the server that the page shows, in order. */
export function lastLines(most: number): readonly Summary[] {
  const found: Summary[] = [];
  for (let index = lines.length - 1; index >= 0 && found.length < most; index--) {
    const line = lines[index];
    if (line !== undefined && isOfServer(line)) {
      found.push(line);
    }
  }
  return found.toReversed();
}

/** The durations of the requests to the server that the page shows. */
export function times(): TimesTable {
  return timesAt(server.value);
}

function timesAt(id: string): TimesTable {
  const found = timesOf.get(id) ?? createTimes();
  timesOf.set(id, found);
  return found;
}

const filtered = createShown();

/** The lines that the filter shows. */
export const shown: ReadonlySignal<ShownLines> = computed(() => {
  const scope = showsAll.value ? undefined : server.value;
  // Readers of the version follow the lines.
  return filtered.of(filter.value, version.value < 0 ? [] : lines, answers, scope);
});

const slowMs = 250;
let slowTimer: ReturnType<typeof setTimeout> | undefined;
let isWanted = false;

/** Has everything that shows lines drawn again, once for all lines of a frame. */
function linesChanged(): void {
  if (!isWanted) {
    isWanted = true;
    requestAnimationFrame(() => {
      isWanted = false;
      version.value++;
    });
  }
  slowTimer ??= setTimeout(() => {
    slowTimer = undefined;
    slowVersion.value++;
  }, slowMs);
}

/**
 * How many lines the page keeps, and about how many are dropped at a time. The inspector keeps as
 * many by default.
 */
const maxLines = 200_000;
const dropsAtATime = 2000;

/** Drops lines. Their durations stay in the percentiles. */
function drop(): void {
  const dropped = dropOldest(lines, dropsAtATime);
  for (const { seq } of dropped) {
    answers.delete(seq);
    belonging.drop(seq);
  }
  filtered.drop(dropped);
}

/** Applies an event of the inspector. */
export function take(event: InspectorEvent): void {
  if (event.type === "state") {
    takeState(event.state);
    return;
  }
  if (event.cleared === true) {
    lines.length = 0;
    answers.clear();
    belonging.clear();
    tasks.clear();
    timesOf.clear();
    filtered.clear();
    clearings.value++;
    selected.value = undefined;
  }
  for (const line of event.lines) {
    lines.push(line);
    belonging.add(line);
    tasks.add(line);
    timesAt(line.server ?? server.peek()).add(line);
    if (line.kind === "response" && line.request !== undefined) {
      answers.set(line.request, line);
    }
    for (const ended of line.ends ?? []) {
      if (!answers.has(ended)) {
        answers.set(ended, line);
      }
    }
  }
  if (lines.length > maxLines + dropsAtATime) {
    drop();
  }
  for (const line of event.lines) {
    if (line.method?.endsWith("/list_changed") === true) {
      readSessions.delete(line.server ?? "");
    }
  }
  followDefinitions();
  linesChanged();
}

/** The server that the person has opened, until the state has it. */
let awaited: string | undefined;

function takeState(taken: InspectorState): void {
  const before = inspector.peek();
  const ids = taken.servers.map(({ id }) => id);
  const [first] = taken.servers;
  if (before === undefined && first?.source.kind !== "live" && view.peek() === "start") {
    // There is nothing to try: the messages are what the person came for.
    view.value = "timeline";
  }
  for (const { id, source } of taken.servers) {
    const known = before?.servers.find((one) => one.id === id)?.source;
    if (known !== undefined && known.label !== source.label) {
      setOwn(definitions, id, undefined);
    }
  }
  inspector.value = taken;
  if (awaited !== undefined && ids.includes(awaited)) {
    awaited = undefined;
  }
  if (!ids.includes(server.peek()) && awaited === undefined && first !== undefined) {
    showServer(first.id);
  }
  if (before !== undefined && before.servers.length > ids.length) {
    keepServers(ids);
    [...timesOf.keys()].filter((id) => !ids.includes(id)).forEach((id) => timesOf.delete(id));
  }
  followDefinitions();
}

/** Shows a server, with the filter, the forms and the lists that belong to it. */
export function goTo(id: string): void {
  const isKnown = inspector.peek()?.servers.some((one) => one.id === id) === true;
  awaited = isKnown ? undefined : id;
  showServer(id);
  followDefinitions();
}

/** The sessions whose lists were read, by server. */
const readSessions = new Map<string, number | undefined>();

/** Reads the lists of the server that the page shows, if it has not read them in this session. */
function followDefinitions(): void {
  const shownServer = state.peek();
  if (shownServer?.source.phase === "open" && shownServer.id === server.peek()) {
    const { id, source } = shownServer;
    if (!readSessions.has(id) || readSessions.get(id) !== source.session) {
      readSessions.set(id, source.session);
      void refreshDefinitions();
    }
  }
}

/** Reads the lists of the server again. */
export async function refreshDefinitions(): Promise<void> {
  const id = server.peek();
  try {
    setOwn(definitions, id, await readDefinitions(id));
  } catch (error) {
    say(error);
  }
}

/** How long a sentence is shown at least, and how much longer for each character. */
const noticeMs = 6000;
const characterMs = 60;
let noticeTimer: ReturnType<typeof setTimeout> | undefined;

/** Removes the sentence that is shown. */
export function unsay(): void {
  clearTimeout(noticeTimer);
  notice.value = "";
}

/** Shows a sentence to the person, for as long as it takes to read it. */
export function say(message: unknown): void {
  const text = message instanceof Error ? message.message : String(message);
  clearTimeout(noticeTimer);
  notice.value = text;
  noticeTimer = setTimeout(unsay, noticeMs + text.length * characterMs);
}

/** Opens a line in the timeline. */
export function showLine(seq: number): void {
  selected.value = seq;
  view.value = "timeline";
}

/** Sends an action, and shows the reason if it fails. */
export async function attempt(action: Parameters<typeof act>[0]): Promise<boolean> {
  try {
    await act(action);
    return true;
  } catch (error) {
    say(error);
    return false;
  }
}

/** A line by its number, if the page has it. */
export function lineOf(seq: number | undefined): Summary | undefined {
  const line = seq === undefined ? undefined : lines[indexOfSeq(lines, seq)];
  return line?.seq === seq ? line : undefined;
}
