import { haveOneLogin } from "../auth/uses-login.ts";
import type { Invocation } from "../command/invocation.ts";
import { readConfigurations } from "./configurations.ts";
import type { Proxy } from "./proxy.ts";

/** Returns the proxy of a server that is known by its URL only: that of the first configuration that has the URL. */
export async function configuredProxies({ shell, flags }: Invocation): Promise<(url: string) => Proxy> {
  const read = await readConfigurations(shell, flags.text("config"));
  const remotes = read.flatMap(({ config }) =>
    (config?.servers ?? []).flatMap(({ spec }) => (spec.type === "stdio" ? [] : [spec])),
  );
  return (url) => remotes.find((spec) => haveOneLogin(spec.url, url))?.proxy;
}
