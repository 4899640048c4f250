import type { Clock } from "@tenon/base";
import {
  mediaType,
  retryAfter,
  statusError,
  type AuthProvider,
  type HeadersLike,
  type HttpClient,
  type HttpRequest,
} from "@tenon/http/client";
import { CredentialWatch } from "@tenon/jsonrpc2/credential-watch";

import { HeaderName, MediaType } from "../shared/names.ts";
import { isAboutCredentials, refusesCredentials } from "./credentials.ts";
import type { ListeningState, StreamReconnect } from "./options.ts";
import { readMessages, type StreamPlace } from "./read-messages.ts";
import { healthyMs, retryDelay } from "./retry-delay.ts";
import { askForStream, Rhythm, StreamWatch } from "./silence.ts";
import type { StreamRefusals } from "./stream-refusals.ts";

/** The dependencies of a listener on its connection. */
export interface ListenerOwner {
  readonly url: URL;
  readonly http: HttpClient;
  readonly auth: AuthProvider | undefined;
  readonly clock: Clock;
  readonly reconnect: StreamReconnect;
  readonly maxEventLength: number;
  readonly refusals: StreamRefusals;
  /** The headers of the session. */
  headers(): HeadersLike | undefined;
  receive(data: string): Promise<void> | undefined;
  /** @param resumes - Whether the stream continues after the last event that was received. */
  onState(state: ListeningState, resumes?: boolean): void;
  /** Messages that the server sent while the stream was closed are lost. */
  onMissed(): void;
  /** The server rejects the stream permanently. */
  onEnded(status: number): void;
}

/** Refusals after which asking again is of no use. */
function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 425 && status !== 429;
}

/**
 * Reads the standalone stream, on which a legacy server sends messages that do not belong to a
 * request. Reopens the stream when it is lost, until the signal fires or the server rejects it. A
 * stream that is refused for its credentials is opened again, from its last event, when the
 * credentials have changed. It is given up if calls are accepted with the credentials for which it
 * is refused.
 *
 * @param onFirst - Called when the first attempt has succeeded or failed.
 * @source R-354
 */
export async function listen(owner: ListenerOwner, signal: AbortSignal, onFirst: () => void): Promise<void> {
  const place: StreamPlace = { lastEventId: undefined, retryMs: undefined };
  let attempt = 0;
  /** How often the credentials had changed when the stream was last refused for them. */
  let refusedWith: number | undefined;
  const rhythm = new Rhythm(owner.reconnect.maxSilenceMs);
  const credentials = new CredentialWatch(owner.auth);
  signal.addEventListener("abort", () => credentials.stop(), { once: true });
  while (!signal.aborted) {
    const { changes } = credentials;
    let failure: unknown;
    let messages = 0;
    let delay: number | undefined;
    let watch: StreamWatch | undefined;
    try {
      owner.onState({ state: "connecting", attempt });
      const headers = {
        ...owner.headers(),
        accept: MediaType.events,
        ...(place.lastEventId === undefined ? {} : { [HeaderName.lastEventId]: place.lastEventId }),
      };
      const request: HttpRequest = { url: owner.url, method: "GET", headers, signal };
      const response = await askForStream(owner.http, request, rhythm, owner.clock);
      if (response.status !== 200) {
        delay = retryAfter(response.header("retry-after"));
        const isUnauthorized = owner.auth !== undefined && refusesCredentials(response);
        const isContradicted = refusedWith === credentials.changes && owner.refusals.areContradicted;
        if (isFinal(response.status) && (!isUnauthorized || isContradicted)) {
          response.discard();
          if (isUnauthorized || place.lastEventId === undefined || response.status === 404) {
            credentials.stop();
            finish(owner, response.status);
            return;
          }
          // Messages after that event are not stored any more; new messages can still be read.
          place.lastEventId = undefined;
          owner.onMissed();
          continue;
        }
        throw await statusError(response, owner.url);
      }
      const type = mediaType(response.header("content-type"));
      if (type !== undefined && type !== MediaType.events) {
        // A page or JSON: asking again would bring the same.
        response.discard();
        credentials.stop();
        finish(owner, response.status);
        return;
      }
      owner.onState({ state: "open" }, place.lastEventId !== undefined);
      onFirst();
      watch = new StreamWatch(response.body, rhythm, owner.clock);
      await readMessages(watch, owner.maxEventLength, place, (data) => {
        messages++;
        return owner.receive(data);
      });
    } catch (error) {
      failure = error;
    } finally {
      onFirst();
    }
    const openMs = watch?.end() ?? 0;
    failure = watch?.failure ?? failure;
    if (signal.aborted) {
      return;
    }
    attempt = messages > 0 || openMs >= healthyMs ? 0 : attempt + 1;
    // Credentials that changed after the request was sent may be good already.
    const isRefused = isAboutCredentials(failure) && credentials.changes === changes;
    const waits = credentials.reports && isRefused;
    refusedWith = isRefused ? changes : undefined;
    if (isRefused) {
      owner.refusals.note(() => credentials.wake());
    }
    const delayMs = waits
      ? Infinity
      : retryDelay(Math.max(0, attempt - 1), owner.reconnect, delay ?? place.retryMs);
    owner.onState({
      state: "waiting",
      attempt,
      delayMs,
      ...(failure === undefined ? {} : { error: failure }),
    });
    try {
      await credentials.wait(delayMs, { signal, keepsAlive: !waits });
    } catch {
      return;
    }
  }
}

function finish(owner: ListenerOwner, status: number): void {
  owner.onState({ state: "unsupported", status });
  owner.onEnded(status);
}
