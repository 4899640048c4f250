/** The abilities of the browser that a view may ask for, and their names in `allow` of a frame. */
export const permissionFeatures = {
  camera: "camera",
  microphone: "microphone",
  geolocation: "geolocation",
  clipboardWrite: "clipboard-write",
} as const;

/** An ability of the browser that a view may ask for. */
export type ViewPermission = keyof typeof permissionFeatures;

/** Whether a value is a {@link ViewPermission}. */
export function isPermission(value: unknown): value is ViewPermission {
  return typeof value === "string" && Object.hasOwn(permissionFeatures, value);
}
