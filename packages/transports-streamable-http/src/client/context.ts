import type { Running } from "@tenon/http/transport";

import type { Calls } from "./calls.ts";
import type { RememberedEra } from "./era-cache.ts";
import type { StreamableClientOptions } from "./options.ts";
import type { SenderOwner } from "./sender.ts";
import type { ToolBook } from "./tool-book.ts";

/** The parts of one client connection share this context. */
export interface ClientContext extends SenderOwner {
  readonly options: StreamableClientOptions;
  readonly calls: Calls;
  readonly tools: ToolBook;
  readonly era: RememberedEra;
  /** Sends a message for which no caller waits. Ends with the connection. */
  readonly own: Running;
  /** Reports a warning. Never throws. */
  readonly warn: (message: string) => void;
}
