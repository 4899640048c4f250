import type { ServerFeature } from "../server-feature.ts";

/** Answers `ping` with `{}`. In the modern era the method table does not have it. */
export const pingFeature: ServerFeature = {
  methods: { ping: () => ({}) },
};
