import type { Lane } from "./lane.ts";

/** The connections to one server, by their use. */
export class LaneTable {
  readonly #own = new Map<unknown, readonly Lane[]>();
  readonly #retired = new Set<Lane>();
  #shared: Lane | undefined;
  /** The connection that was opened before there was a caller. */
  spare: Lane | undefined;

  /** The connection that all callers share; `undefined` if each has its own. */
  get shared(): Lane | undefined {
    return this.#shared?.isDead === false ? this.#shared : undefined;
  }

  /** The number of connections that are open or being opened, without the replaced ones. */
  get size(): number {
    return this.own.length + [this.spare, this.#shared].filter((lane) => lane !== undefined).length;
  }

  /** The connections of all callers. */
  get own(): readonly Lane[] {
    return [...this.#own.values()].flat();
  }

  /** The connections that can be used. */
  get open(): readonly Lane[] {
    const all = [this.#shared, this.spare, ...this.own];
    return all.filter((lane) => lane !== undefined).filter((lane) => lane.isOpen && !lane.isDead);
  }

  /** The open connections of single callers that are not used, because all callers share one. */
  get unused(): readonly Lane[] {
    return this.shared === undefined ? [] : this.own.filter((lane) => lane.isOpen && !lane.isDead);
  }

  /** The connections that were replaced and have not ended, the oldest first. */
  get retired(): readonly Lane[] {
    return [...this.#retired];
  }

  /** The connections of a caller. */
  of(key: unknown): readonly Lane[] {
    return this.#own.get(key) ?? [];
  }

  /** Whether a connection belongs to no single caller. */
  isCommon(lane: Lane): boolean {
    return lane === this.#shared || lane === this.spare;
  }

  /** Adds a connection of a caller. */
  add(key: unknown, lane: Lane): void {
    this.#own.set(key, [...this.of(key), lane]);
  }

  /** Shares a connection among all callers. */
  share(lane: Lane): void {
    lane.caller = undefined;
    this.#shared = lane;
  }

  /** Replaces the connections of no single caller. @returns The connections that were replaced. */
  replace({ shared, spare }: { readonly shared?: Lane; readonly spare?: Lane }): readonly Lane[] {
    const replaced = [this.#shared, this.spare].filter((lane) => lane !== undefined);
    this.#shared = undefined;
    this.spare = spare;
    if (shared !== undefined) {
      this.share(shared);
    }
    return replaced;
  }

  /** Keeps a connection only to end it: it is no longer counted or found. */
  retire(lane: Lane): void {
    this.remove(lane);
    this.#retired.add(lane);
  }

  /** Removes the connections of a caller. @returns These, and the replaced ones of the caller. */
  take(key: unknown): readonly Lane[] {
    const lanes = this.of(key);
    this.#own.delete(key);
    return [...lanes, ...this.retired.filter(({ caller }) => caller?.key === key)];
  }

  /** Removes a connection from the connections of its caller. */
  disown(lane: Lane): void {
    const [key] = [...this.#own].find(([, lanes]) => lanes.includes(lane)) ?? [];
    const rest = this.of(key).filter((each) => each !== lane);
    if (rest.length === 0) {
      this.#own.delete(key);
    } else {
      this.#own.set(key, rest);
    }
  }

  /** Removes a connection. */
  remove(lane: Lane): void {
    this.disown(lane);
    this.#retired.delete(lane);
    this.spare = this.spare === lane ? undefined : this.spare;
    this.#shared = this.#shared === lane ? undefined : this.#shared;
  }
}
