/** A remote server, and the profile of its login. */
export interface Remote {
  readonly label: string;
  readonly url: string;
  readonly profile: string;
}
