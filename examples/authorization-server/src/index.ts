export { approve } from "./approve.ts";
export { freePort } from "./free-port.ts";
export { startLoginServer, type LoginServer } from "./login-server.ts";
