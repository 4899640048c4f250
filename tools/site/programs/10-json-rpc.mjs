// JSON-RPC alone
import { methodHandler, Peer, RpcError } from "@tenon/jsonrpc2";
import { createInMemoryTransports } from "@tenon/sdk/memory";

const [near, far] = createInMemoryTransports();

const server = new Peer(await far.connect(), {
  handler: methodHandler({
    add: ({ a, b }) => a + b,
    fail: () => {
      throw new RpcError(1, "Closed on Sundays.");
    },
  }),
});
const client = new Peer(await near.connect());

console.log(await client.call("add", { a: 1, b: 2 }));
await client.call("fail").catch((error) => console.log(error.code, error.message));
await client.call("nothing").catch((error) => console.log(error.code, error.message));

await client.close();
await server.close();
