/** A server on the official SDK of any version, in what the checks need of it beyond the wire. */
export interface OfficialServer extends AsyncDisposable {
  /** The call of `hang` has begun. */
  readonly hanging: Promise<void>;
  /** It was cancelled. */
  readonly cancelled: Promise<void>;
  updated(uri: string): Promise<void>;
  addPrompt(): void;
}
