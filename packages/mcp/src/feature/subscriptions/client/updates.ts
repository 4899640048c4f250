import type { ResourceUpdatedNotificationParams } from "@tenon/protocol";

/** Maximum number of different URIs that wait for the reader. */
const maxWaiting = 1024;
/** Maximum length of a URI. A longer URI is replaced by the URI of the resource itself. */
const maxUriLength = 8192;

/** A reader that waits for the next update. */
interface Reader {
  resolve(result: IteratorResult<ResourceUpdatedNotificationParams, undefined>): void;
  reject(error: unknown): void;
}

/**
 * Updates of a resource, for one reader. Equal ones that wait become one; too many different ones
 * become one of the resource itself, so that a slow reader misses nothing and holds little.
 */
export class Updates {
  readonly #uri: string;
  readonly #waiting = new Map<string, ResourceUpdatedNotificationParams>();
  readonly #readers: Reader[] = [];
  #ended: { readonly error?: unknown } | undefined;

  /** @param uri - What is watched. */
  constructor(uri: string) {
    this.#uri = uri;
  }

  push(update: ResourceUpdatedNotificationParams): void {
    if (this.#ended !== undefined) {
      return;
    }
    const reader = this.#readers.shift();
    if (reader !== undefined) {
      reader.resolve({ done: false, value: update });
      return;
    }
    const isTooMuch = this.#waiting.size >= maxWaiting;
    if (isTooMuch) {
      this.#waiting.clear();
    }
    // Only the URI is queued: the server may have sent further data of any size.
    const uri = isTooMuch || update.uri.length > maxUriLength ? this.#uri : update.uri;
    this.#waiting.set(uri, { uri });
  }

  /**
   * Nothing more will come.
   *
   * @param ended - With `error`, readers get it after what waits. The first end counts.
   */
  end(ended: { readonly error?: unknown }): void {
    if (this.#ended === undefined) {
      this.#ended = ended;
      for (const reader of this.#readers.splice(0)) {
        this.#settle(reader, ended);
      }
    }
  }

  next(): Promise<IteratorResult<ResourceUpdatedNotificationParams, undefined>> {
    return new Promise((resolve, reject) => {
      const [first] = this.#waiting.values();
      if (first !== undefined) {
        this.#waiting.delete(first.uri);
        resolve({ done: false, value: first });
      } else if (this.#ended !== undefined) {
        this.#settle({ resolve, reject }, this.#ended);
      } else {
        this.#readers.push({ resolve, reject });
      }
    });
  }

  #settle(reader: Reader, ended: { readonly error?: unknown }): void {
    if (ended.error === undefined) {
      reader.resolve({ done: true, value: undefined });
    } else {
      reader.reject(ended.error);
      // The error is thrown once. Later reads return the end.
      this.#ended = {};
    }
  }
}
