import { haveOneLogin } from "../auth/uses-login.ts";
import type { Invocation } from "../command/invocation.ts";
import { readConfigurations } from "./configurations.ts";
import type { Proxy } from "./proxy.ts";

/** Returns the proxy that the first configuration with this URL has for it. */
export async function configuredProxies({ shell, flags }: Invocation): Promise<(url: string) => Proxy> {
  const read = await readConfigurations(shell, flags.text("config"));
  const remotes = read.flatMap(({ config }) =>
    (config?.servers ?? []).flatMap(({ spec }) => (spec.type === "stdio" ? [] : [spec])),
  );
  return (url) => remotes.find((spec) => haveOneLogin(spec.url, url))?.proxy;
}
