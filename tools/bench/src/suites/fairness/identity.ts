/** A client, as the server tells it from others. */
export interface Identity {
  /** Where it connects from. */
  readonly address: string;
  /** The header fields that name its principal; empty for a client that is not authenticated. */
  readonly fields: string;
}

/** How the server tells the two clients apart. */
export type Distinction = "principals" | "addresses";

/**
 * The client that floods. It has an address of its own either way, because bytes are counted by
 * address.
 */
export const flooder = (by: Distinction): Identity => ({
  address: "127.0.0.2",
  fields: by === "principals" ? "x-user: flooder\r\n" : "",
});

/** The client whose calls are measured. */
export const other = (by: Distinction): Identity => ({
  address: "127.0.0.1",
  fields: by === "principals" ? "x-user: other\r\n" : "",
});
