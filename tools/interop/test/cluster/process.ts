import { once } from "node:events";

import { connectStores, type Failure, type Part, type StorePlace } from "./connect.ts";
import { startNode } from "./node.ts";

/** What the parent sends to a node, and what the node sends back. */
export type Order = "change" | "routed" | "restore" | `${Failure} ${Part}`;
/** @see Order */
export type Report =
  | { readonly port: number }
  | { readonly routed: number }
  | { readonly stream: number; readonly step: number };

const tell = (report: Report): void => void process.send?.(report);
const place = JSON.parse(process.argv[2] ?? "") as StorePlace;
const node = await startNode(await connectStores(place), (stream, step) => tell({ stream, step }));
process.on("message", (order: Order) => {
  switch (order) {
    case "change":
      node.change();
      break;
    case "routed":
      void node.routed().then((routed) => tell({ routed }));
      break;
    case "restore":
      node.restore();
      break;
    default: {
      const [how, part] = order.split(" ") as [Failure, Part];
      node.stop(part, how);
    }
  }
});
process.on("disconnect", () => process.exit(1));
tell({ port: node.port });
await once(process, "SIGTERM");
await node.drain();
process.exit();
