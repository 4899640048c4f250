import { Server } from "@tenon/sdk";
import { createStreamableHandler, type StreamableHandler } from "@tenon/sdk/http";
import { createObjectStores, type ObjectStorage } from "@tenon/store-sqlite/durable-object";

// #region object
/** One object serves the sessions of one user. Its class is one of `new_sqlite_classes`. */
export class Shop {
  readonly #handler: StreamableHandler;

  constructor({ storage }: { readonly storage: ObjectStorage }) {
    const server = new Server({ name: "shop", version: "1.0.0" });
    const stores = createObjectStores(storage);
    this.#handler = createStreamableHandler({ getServer: () => server, stores });
  }

  fetch(request: Request): Promise<Response> {
    return this.#handler.fetch(request);
  }
}
// #endregion object
