// Contents of results of every kind, as servers send them.

const png = "iVBORw0KGgo=";
const image = (mimeType: unknown, data: unknown = png): object => ({ type: "image", data, mimeType });
const blob = (mimeType: unknown, data: unknown = "AAAA"): object => ({
  type: "resource",
  resource: { uri: "x://y", blob: data, ...(mimeType === undefined ? {} : { mimeType }) },
});
const text = (written: unknown): object => ({ type: "text", text: written });

const images = [
  ...[
    "image/png",
    "image/jpeg",
    "image/jpg",
    "image/pjpeg",
    "image/gif",
    "image/webp",
    "image/svg+xml",
    "image/bmp",
  ],
  ...[
    "image/tiff",
    "image/x-icon",
    "image/vnd.microsoft.icon",
    "image/avif",
    "image/heic",
    "IMAGE/PNG",
    "Image/Jpeg",
  ],
  ...["image/png; charset=binary", "image/png;q=1", " image/png ", "image/*", "image", "png", ""],
];
const others = [
  ...[
    "audio/wav",
    "audio/x-wav",
    "audio/mpeg",
    "audio/mp3",
    "audio/ogg",
    "audio/webm",
    "audio/midi",
    "audio/L16;rate=8000",
  ],
  ...[
    "video/mp4",
    "video/x-matroska",
    "application/pdf",
    "application/zip",
    "application/octet-stream",
    "text/html",
  ],
];
const data = [
  "",
  " ",
  "not base64!",
  "data:image/png;base64,iVBORw0KGgo=",
  "data:image/svg+xml;utf8,<svg/>",
  "data:,x",
];

/** The kinds, by name. */
export const results: Readonly<Record<string, readonly object[]>> = {
  nothing: [],
  ...Object.fromEntries(images.map((type) => [`an image of type "${type}"`, [image(type)]])),
  ...Object.fromEntries(images.map((type) => [`a resource of type "${type}"`, [blob(type, png)]])),
  ...Object.fromEntries(others.map((type) => [`a file of type "${type}"`, [blob(type)]])),
  ...Object.fromEntries(
    others.map((type) => [`a sound of type "${type}"`, [{ type: "audio", data: "AAAA", mimeType: type }]]),
  ),
  ...Object.fromEntries(
    data.map((written) => [`an image with the data "${written}"`, [image("image/png", written)]]),
  ),
  "data in base64url": [image("image/jpeg", "_9j-4AAQ")],
  "data with line ends": [image("image/png", "iVBO\nRw0K\r\nGgo=")],
  "data without padding": [image("image/png", "iVBORw0KGgo")],
  "an image that is another type than it says": [
    image("image/png", "/9j/4AAQ"),
    image("image/jpeg", "R0lGODlhAQABAAAA"),
  ],
  "a file without a type": [blob(undefined)],
  "a resource with text": [{ type: "resource", resource: { uri: "x://y", text: "inside" } }],
  "a resource with an empty text": [{ type: "resource", resource: { uri: "x://y", text: "" } }],
  "a link": [{ type: "resource_link", uri: "x://y", name: "y", mimeType: "image/png" }],
  "an empty text": [text("")],
  whitespace: [text(" \n\t")],
  "spaces without a width": [text("\u200b\ufeff")],
  "only empty texts": [text(""), text(" "), text("\r\n")],
  "half of a character": [text("a\ud83c"), text("\udf89b"), text("🎉")],
  "control characters": [text("\u0000\u001b[31m")],
  "a text without text": [
    { type: "text" },
    { type: "image" },
    { type: "resource" },
    { type: "audio", data: 5 },
  ],
  "a block of an unknown type": [{ type: "video", data: "AAAA", mimeType: "video/mp4" }],
  "a mixture": [
    text("first"),
    image("image/svg+xml"),
    image("image/png"),
    blob("application/pdf"),
    text(""),
    image("image/jpg"),
  ],
};
