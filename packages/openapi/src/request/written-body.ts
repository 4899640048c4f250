/** A body that is ready to be sent. */
export interface WrittenBody {
  readonly mediaType: string;
  readonly content: string | Uint8Array<ArrayBuffer>;
}
