/** What an {@link AuthProvider} may know about a request. */
export type { AuthProvider, AuthRequest } from "@tenon/transports-streamable-http/client";
