const posix = ["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];
const windows = [
  "APPDATA",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "PATH",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE",
  "WINDIR",
];

/**
 * The part of an environment that a foreign program needs to run, and none of the secrets that this
 * process may hold: `PATH`, home, locale and the like. Exported shell functions are left out.
 */
export function allowedEnvironment(
  from: Readonly<Record<string, string | undefined>> = process.env,
  platform: string = process.platform,
): Record<string, string> {
  const allowed = new Set(platform === "win32" ? windows : posix);
  const isAllowed = (name: string): boolean =>
    platform === "win32" ? allowed.has(name.toUpperCase()) : allowed.has(name) || name.startsWith("LC_");
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(from)) {
    if (value !== undefined && isAllowed(name) && !value.startsWith("()")) {
      environment[name] = value;
    }
  }
  return environment;
}

/**
 * `own` on top of `base`. On Windows names are compared without regard to case, as the system does.
 */
export function mergeEnvironments(
  base: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
  platform: string = process.platform,
): Record<string, string> {
  const fold = (name: string): string => (platform === "win32" ? name.toUpperCase() : name);
  const overridden = new Set(Object.keys(own).map(fold));
  const kept = Object.entries(base).filter(([name]) => !overridden.has(fold(name)));
  return { ...Object.fromEntries(kept), ...own };
}
