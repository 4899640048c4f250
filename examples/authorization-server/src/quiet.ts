// `oidc-provider` warns about settings for development, which is what they are for here. The lines
// would look like errors in a demo.
for (const level of ["info", "warn"] as const) {
  const write = console[level].bind(console);
  console[level] = (...values: unknown[]) => {
    if (!String(values[0]).includes("oidc-provider ")) {
      write(...values);
    }
  };
}
