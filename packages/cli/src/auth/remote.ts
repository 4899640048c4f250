/** A remote server, and the profile of its login. */
export interface Remote {
  readonly label: string;
  readonly url: string;
  readonly profile: string;
  /** The proxy of the server in a configuration. `false` allows none. */
  readonly proxy?: string | false | undefined;
}

/** Names a server for the user, and the profile of its login unless it is the default. */
export function placeOf({ label, profile }: Remote): string {
  return profile === "default" ? label : `${label} (profile ${profile})`;
}
