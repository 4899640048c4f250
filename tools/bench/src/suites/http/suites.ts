import type { Suite } from "../../suite.ts";
import { client } from "./client.ts";
import { large } from "./large.ts";
import { server } from "./server.ts";
import { sessions } from "./sessions.ts";
import { slowReader } from "./slow-reader.ts";

/** The suites of Streamable HTTP. */
export const http: readonly Suite[] = [server, client, sessions, large, slowReader];
