/** How long a process that follows a stream is notified of its events, in milliseconds. */
const followMs = 5000;
/** Maximum number of followed streams of one session. */
const maxFollowed = 64;

/** One process that follows one stream. */
interface Follower {
  readonly node: string;
  readonly streamId: string;
  until: number;
  isTelling: boolean;
  /** Whether an event was stored while the process was being notified of another event. */
  isAgain: boolean;
}

/** The processes that follow the streams that this process writes for one session. */
export class Followers {
  readonly #tell: (node: string, streamId: string) => Promise<unknown>;
  #followers: readonly Follower[] = [];

  /**
   * @param tell - Notifies a process of a new event. It may fail, because the process also polls.
   */
  constructor(tell: (node: string, streamId: string) => Promise<unknown>) {
    this.#tell = tell;
  }

  /** A process follows a stream, and asks for it again within some seconds. */
  add(node: string, streamId: string): void {
    const until = performance.now() + followMs;
    const known = this.#followers.find((each) => each.node === node && each.streamId === streamId);
    if (known !== undefined) {
      known.until = until;
      return;
    }
    const added = { node, streamId, until, isTelling: false, isAgain: false };
    this.#followers = [...this.#followers, added].slice(-maxFollowed);
  }

  /** A stream was written. */
  written(streamId: string): void {
    if (this.#followers.length === 0) {
      return;
    }
    const now = performance.now();
    this.#followers = this.#followers.filter(({ until }) => until > now);
    this.#followers
      .filter((follower) => follower.streamId === streamId)
      .forEach((follower) => void this.#wake(follower));
  }

  async #wake(follower: Follower): Promise<void> {
    follower.isAgain = true;
    if (follower.isTelling) {
      return;
    }
    follower.isTelling = true;
    while (follower.isAgain) {
      follower.isAgain = false;
      await this.#tell(follower.node, follower.streamId).catch(() => undefined);
    }
    follower.isTelling = false;
  }
}
