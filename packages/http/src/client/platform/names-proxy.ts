/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Whether the environment names a proxy. */
export function namesProxy(env: Environment): boolean {
  return (
    env["NODE_USE_ENV_PROXY"] !== "0" &&
    ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"].some((name) => (env[name] ?? "") !== "")
  );
}
