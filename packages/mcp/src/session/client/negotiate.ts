import { quotedMessage } from "@tenon/base";
import type { Peer } from "@tenon/jsonrpc2";

import { McpError } from "../../base/error.ts";
import type { Negotiated } from "../../request/client/session.ts";
import type { RevisionRules } from "../../revisions/rules.ts";
import { discover, type Found } from "./negotiation/discover.ts";
import { initialize, type Opened } from "./negotiation/initialize.ts";
import type { Proposal } from "./negotiation/proposal.ts";
import { table, type Event, type State } from "./negotiation/table.ts";
import { withEarlier } from "./negotiation/with-earlier.ts";

/**
 * How long a child process may write nothing before `ping` is sent behind `server/discover`, in
 * milliseconds. A program that responds to it reads its input, so it ignores `server/discover`.
 */
const quietMs = 1000;
/**
 * How long `server/discover` may still take after the response to a later request, in milliseconds.
 */
const overtakenMs = 250;
/**
 * The same time over HTTP, in milliseconds: a server that has just started handles the waiting
 * requests in any order.
 */
const graceMs = 1000;
/**
 * The factor of `probeTimeoutMs` for a child process that has written nothing, because it may be
 * starting.
 */
const startFactor = 2;

/**
 * Negotiates the protocol version on one connection by the {@link table}: `server/discover` in the
 * newest modern version first; if the server does not support it, or does not respond for a while,
 * `initialize`. The caller sends `notifications/initialized`, and then aborts the request that is
 * not needed (`Proposal.rest`).
 *
 * @param probe - Whether to try the modern era at all.
 * @throws `McpError` `UNSUPPORTED_REVISION` if there is none in common. The error of `initialize`
 *   also contains the error of `server/discover`, unless a legacy server responds in this way.
 * @source R-212…
 */
export function negotiate(peer: Peer, proposal: Proposal, probe: boolean): Promise<Negotiated> {
  return new Negotiation(peer, proposal).run(probe);
}

class Negotiation {
  readonly #peer: Peer;
  readonly #proposal: Proposal;
  #state: State = "asking";
  #resolve!: (negotiated: Negotiated) => void;
  #reject!: (error: unknown) => void;
  #isOver = false;
  #timer: unknown;
  #nudge: unknown;
  /** How often `server/discover` may still be sent. */
  #questions: number;
  /** The version to ask for next. */
  #asked: RevisionRules | undefined;
  /** The version for `initialize`. */
  #legacy: RevisionRules | undefined;
  #remembered = false;
  #agreed: Negotiated | undefined;
  /** Why `server/discover` did not succeed. */
  #probeError: unknown;
  /** Whether that error is possible in both eras. */
  #isUnclear = false;
  /** Whether only a legacy server sends that error. */
  #isLegacy = false;
  /** Why `initialize` did not succeed. */
  #failure: unknown;

  constructor(peer: Peer, proposal: Proposal) {
    this.#peer = peer;
    this.#proposal = proposal;
    const { modern, legacy } = proposal.revisions;
    this.#asked = modern[0];
    this.#legacy = legacy[0];
    this.#questions = modern.length + 1;
  }

  run(probe: boolean): Promise<Negotiated> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      if (probe && this.#asked !== undefined) {
        this.#ask(this.#asked);
        this.#expect();
      } else {
        this.#state = "opening";
        this.#open();
      }
    });
  }

  /** Starts the time after which `initialize` is sent as well, if there is a legacy version. */
  #expect(): void {
    const { started, probeTimeoutMs, clock } = this.#proposal;
    if (this.#legacy === undefined || this.#state !== "asking") {
      return;
    }
    if (started === undefined) {
      this.#arm("late", probeTimeoutMs);
      return;
    }
    this.#arm("late", startFactor * probeTimeoutMs);
    this.#nudge = clock.setTimeout(() => this.#ping(), Math.min(quietMs, probeTimeoutMs), true);
    void started.then(() => {
      if (this.#state === "asking") {
        this.#arm("late", probeTimeoutMs);
      }
    });
  }

  #ping(): void {
    const answered = (): void => {
      if (this.#state === "asking") {
        this.#arm("late", Math.min(overtakenMs, this.#proposal.probeTimeoutMs));
      }
    };
    this.#peer.call("ping", undefined, { signal: this.#proposal.rest }).then(answered, answered);
  }

  /** Schedules an event. The time restarts after a login. */
  #arm(event: "late" | "overdue", delayMs: number): void {
    const { clock, logins } = this.#proposal;
    clock.clearTimeout(this.#timer);
    const before = logins();
    const fire = (): void => {
      if (logins() !== before || before % 2 === 1) {
        this.#arm(event, delayMs);
      } else {
        this.#step(event);
      }
    };
    this.#timer = clock.setTimeout(fire, delayMs, true);
  }

  #step(event: Event): void {
    const [action, next] = (this.#isOver ? undefined : table[this.#state][event]) ?? ["wait"];
    this.#state = next ?? this.#state;
    switch (action) {
      case "modern":
      case "legacy":
        this.#end(() => this.#resolve(this.#agreed as Negotiated));
        break;
      case "ask":
        this.#askAgain();
        break;
      case "open":
        this.#open();
        break;
      case "grace":
        this.#wait();
        break;
      case "fail":
        this.#end(() => this.#reject(this.#error()));
        break;
      case "wait":
    }
  }

  /** Waits for `server/discover` once more, after the response to `initialize`. */
  #wait(): void {
    const { probeTimeoutMs } = this.#proposal;
    if (this.#state === "waiting") {
      this.#arm("overdue", probeTimeoutMs);
    } else if (this.#peer.network?.transport === "tcp") {
      this.#arm("overdue", graceMs);
    } else {
      // On a stream the response to the first request would have come first.
      this.#step("overdue");
    }
  }

  #end(settle: () => void): void {
    this.#isOver = true;
    const { clock } = this.#proposal;
    clock.clearTimeout(this.#timer);
    clock.clearTimeout(this.#nudge);
    settle();
  }

  #ask(rules: RevisionRules): void {
    this.#questions--;
    void discover(this.#peer, rules, this.#proposal).then((found) => this.#found(found));
  }

  #askAgain(): void {
    const rules = this.#asked as RevisionRules;
    if (this.#questions > 0) {
      this.#ask(rules);
    } else {
      const message = `The server rejects every protocol version that it lists, finally ${rules.revision}.`;
      this.#probeError = new McpError("UNSUPPORTED_REVISION", message, { cause: this.#probeError });
      this.#failure = undefined;
      this.#end(() => this.#reject(this.#error()));
    }
  }

  #found(found: Found): void {
    if (this.#isOver) {
      return;
    }
    if (found.event === "discovered") {
      this.#agreed = found.negotiated;
    } else {
      this.#probeError = found.error;
      this.#isUnclear = found.event === "unclear";
      this.#isLegacy = found.event === "legacy";
    }
    if (found.event === "offered") {
      this.#asked = found.rules;
    } else if (found.event === "legacy") {
      this.#legacy = found.rules ?? this.#legacy;
      this.#remembered = found.remembered === true;
    }
    this.#step(found.event);
  }

  #open(): void {
    if (this.#legacy === undefined) {
      this.#end(() => this.#reject(this.#isUnclear ? this.#probeError : noOther(this.#probeError)));
      return;
    }
    this.#proposal.clock.clearTimeout(this.#nudge);
    void initialize(this.#peer, this.#legacy, this.#proposal).then((opened) => this.#opened(opened));
  }

  #opened(opened: Opened): void {
    if (this.#isOver) {
      return;
    }
    if (opened.event === "agreed") {
      this.#agreed = opened.negotiated;
      this.#step("agreed");
      return;
    }
    this.#failure = opened.error;
    this.#asked = opened.event === "redirected" ? opened.rules : this.#asked;
    // A remembered result may be stale: the request is sent.
    this.#step(this.#remembered ? "redirected" : opened.event);
  }

  /**
   * Returns why the negotiation failed. It names both errors, unless `server/discover` was refused
   * as legacy servers do.
   */
  #error(): unknown {
    const earlier = this.#isLegacy ? undefined : (this.#probeError ?? "it got no response");
    return this.#failure === undefined ? this.#probeError : withEarlier(this.#failure, earlier);
  }
}

function noOther(cause: unknown): McpError {
  const why = cause instanceof Error ? `: ${quotedMessage(cause)}` : ".";
  const message = `The server agreed to no modern protocol version, and this client to no other (revisions)${why}`;
  return new McpError("UNSUPPORTED_REVISION", message, { cause });
}
