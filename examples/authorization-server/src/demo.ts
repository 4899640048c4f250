// Starts the authorization server, shows its metadata, and ends it.
import { freePort } from "./free-port.ts";
import { startLoginServer } from "./login-server.ts";

const resource = `http://127.0.0.1:${await freePort()}/mcp`;
await using server = await startLoginServer(resource);
console.log(`The authorization server for ${resource} is at ${server.issuer}`);
const response = await fetch(new URL("/.well-known/openid-configuration", server.issuer));
const metadata = (await response.json()) as Readonly<Record<string, unknown>>;
for (const name of [
  "registration_endpoint",
  "authorization_endpoint",
  "token_endpoint",
  "code_challenge_methods_supported",
]) {
  console.log(`  ${name}: ${JSON.stringify(metadata[name])}`);
}
console.log("A whole login with it: npm run example protected");
