import { noteFailure, type Wire } from "../wire.ts";

/** A wire that its first request loads. */
export function lazily(load: () => Promise<Wire>): Wire {
  let loading: Promise<Wire> | undefined;
  let loaded: Wire | undefined;
  const start = (): Promise<Wire> =>
    (loading ??= load().then(
      (wire) => {
        loaded = wire;
        return wire;
      },
      (error: unknown) => {
        loading = undefined;
        noteFailure(error, { reused: false, connected: false });
        throw error;
      },
    ));
  return (request) => (loaded === undefined ? start().then((wire) => wire(request)) : loaded(request));
}
