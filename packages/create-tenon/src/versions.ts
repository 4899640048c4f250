/**
 * The versions of packages of others that a new project asks for. A test compares them with the
 * versions that this repository is tested with.
 */
export const versions: Readonly<Record<string, string>> = {
  "@hono/node-server": "^2.1.8",
  "@types/express": "^5.0.4",
  "@types/node": "^20.19.43",
  "@types/react": "^19.0.0",
  esbuild: "^0.28.2",
  express: "^5.3.0",
  fastify: "^5.12.8",
  hono: "^4.13.19",
  jose: "^6.2.17",
  next: "^16.0.0",
  react: "^19.0.0",
  "react-dom": "^19.0.0",
  tsx: "^4.23.15",
  typescript: "^7.0.2",
  "typescript@5": "^5.9.3",
  zod: "^4.6.7",
};
