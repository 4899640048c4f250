import { Peer, methodHandler, type AnyMethods } from "@tenon/jsonrpc2";
import { StdioTransport } from "@tenon/transports-stdio/server";

import { add, method } from "../work.ts";

const connection = await new StdioTransport().connect();
export const peer: Peer = new Peer(connection, { handler: methodHandler<AnyMethods>({ [method]: add }) });
