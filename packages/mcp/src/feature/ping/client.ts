import type { ClientFeature } from "../client-feature.ts";

/** Answers `ping` with `{}`, also before the handshake is over. */
export const pingFeature: ClientFeature = {
  methods: { ping: () => ({}) },
};
