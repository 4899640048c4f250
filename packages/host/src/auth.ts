/** The properties of a request that an {@link AuthProvider} may use. */
export type { AuthProvider, AuthRequest } from "@tenon/transports-streamable-http/client";
