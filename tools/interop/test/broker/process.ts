import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { openStores, type StorePlace } from "../cluster/connect.ts";
import { nodeAt, storeTimeoutMs, upstreamAt } from "./notes.ts";

/** What a node in a process of its own is started with. */
export interface NodeParts {
  readonly place: StorePlace;
  /** The URL of the server, as clients know it. */
  readonly resource: string;
  /** The origin of the provider. */
  readonly provider: string;
}

const { place, resource, provider } = JSON.parse(process.argv[2] ?? "") as NodeParts;
const { stores } = await openStores(place, storeTimeoutMs);
const upstream = upstreamAt(provider);
const keys = ["a key of thirty-two characters, or more"];
const http = createServer(await nodeAt(resource, { upstream, keys, stores: { auth: stores.auth } }));
http.listen(0, "127.0.0.1", () => process.send?.((http.address() as AddressInfo).port));
process.on("disconnect", () => process.exit(1));
