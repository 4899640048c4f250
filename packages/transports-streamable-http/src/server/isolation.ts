/** Whether every request has a connection of its own to the server. */
export function isIsolated({ isolateRequests }: { readonly isolateRequests?: boolean | undefined }): boolean {
  return isolateRequests ?? onWorkers();
}

/** Whether this is Cloudflare's runtime, which does not let one request await what another one does. */
function onWorkers(): boolean {
  const { navigator } = globalThis as { readonly navigator?: { readonly userAgent?: string } };
  return navigator?.userAgent === "Cloudflare-Workers";
}
