/** The origins that a view may use. By default it may use none. */
export interface ViewCsp {
  /** Origins for `fetch`, `XMLHttpRequest` and `WebSocket`. */
  readonly connectDomains?: readonly string[] | undefined;
  /** Origins of scripts, styles, images, fonts and media. */
  readonly resourceDomains?: readonly string[] | undefined;
  /** Origins of frames inside of the view. */
  readonly frameDomains?: readonly string[] | undefined;
  /** Origins that `<base>` may name. */
  readonly baseUriDomains?: readonly string[] | undefined;
}

/** The fields of {@link ViewCsp}. */
export const cspFields = ["connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"] as const;

/** Maximum number of origins per field. */
export const maxSources = 100;

/**
 * An origin that may become part of a policy: a scheme and a host, perhaps a port. Anything else,
 * above all spaces, semicolons and quotes, would end the directive or loosen it. A wildcard needs
 * two labels after it.
 */
export const sourcePattern: RegExp =
  /^(?:https?|wss?):\/\/(?:\*\.(?=[^.:]+\.))?[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?::[0-9]{1,5})?$/i;

/**
 * The directives of the policy of a view: the name, the sources that every view has, and the field
 * that adds to them. Where a field adds sources, `'none'` is left out.
 */
export const directives: readonly (readonly [name: string, own: string, field?: keyof ViewCsp])[] = [
  ["default-src", "'none'"],
  ["script-src", "'self' 'unsafe-inline'", "resourceDomains"],
  ["style-src", "'self' 'unsafe-inline'", "resourceDomains"],
  ["img-src", "'self' data:", "resourceDomains"],
  ["font-src", "'self'", "resourceDomains"],
  ["media-src", "'self' data:", "resourceDomains"],
  ["connect-src", "'none'", "connectDomains"],
  ["frame-src", "'none'", "frameDomains"],
  ["base-uri", "'self'", "baseUriDomains"],
  ["object-src", "'none'"],
  ["form-action", "'none'"],
];
