import { noteFailure, type Wire } from "../wire.ts";

let loading: Promise<Wire> | undefined;
let loaded: Wire | undefined;

/**
 * `undici` with its own pool: the `fetch` of Node ends an idle body after 300 s, and costs several
 * times as much. The first request loads it, since programs that never send one would wait for it
 * longer than for everything else.
 */
export const platformWire: Wire = (request) =>
  loaded === undefined ? load().then((wire) => wire(request)) : loaded(request);

function load(): Promise<Wire> {
  loading ??= import("./undici.lazy.ts").then(
    ({ undiciWire }) => {
      loaded = undiciWire;
      return undiciWire;
    },
    (error: unknown) => {
      loading = undefined;
      noteFailure(error, { reused: false, connected: false });
      throw error;
    },
  );
  return loading;
}
