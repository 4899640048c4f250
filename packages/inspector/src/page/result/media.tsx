import type { VNode } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";

import { size } from "../format.ts";
import { saveBlob } from "../parts/save.ts";
import { decodeBase64 } from "./base64.ts";

/** Pictures that browsers draw in an `img`, where no script runs and nothing is loaded. */
const pictures = /^image\/(?:png|jpe?g|gif|webp|avif|bmp|svg\+xml|x-icon|vnd\.microsoft\.icon)$/;
const sounds = /^audio\/[\w.+-]{1,60}$/;

const endings: Readonly<Record<string, string>> = {
  "image/jpeg": "jpg",
  "image/svg+xml": "svg",
  "audio/mpeg": "mp3",
};

/** Properties of {@link Media}. */
export interface MediaProps {
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
  /** What it is, for people who do not see it. */
  readonly label: string;
}

/** A picture, a sound or another file, in the page and to be saved. */
export function Media({ data, mimeType, label }: MediaProps): VNode {
  const type = mimeType.toLowerCase().split(";")[0]?.trim() ?? "";
  const bytes = useMemo(() => decodeBase64(data), [data]);
  const [url, setUrl] = useState<string>();
  const [measures, setMeasures] = useState("");
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    if (bytes === undefined) {
      return undefined;
    }
    const made = URL.createObjectURL(new Blob([bytes], { type }));
    setUrl(made);
    setFailed(false);
    return () => URL.revokeObjectURL(made);
  }, [bytes, type]);
  if (bytes === undefined) {
    return <p class="problem">The data is not base64, or longer than 32 MiB.</p>;
  }
  const isPicture = pictures.test(type);
  const isSound = sounds.test(type);
  const ending = endings[type] ?? type.split("/")[1]?.replaceAll(/\W+/g, "") ?? "bin";
  return (
    <figure class="media">
      {isPicture && url !== undefined && !failed && (
        <img
          src={url}
          alt={label}
          onLoad={({ currentTarget }) =>
            setMeasures(`${currentTarget.naturalWidth} × ${currentTarget.naturalHeight}`)
          }
          onError={() => setFailed(true)}
        />
      )}
      {isSound && url !== undefined && !failed && (
        <audio controls src={url} aria-label={label} onError={() => setFailed(true)} />
      )}
      <figcaption class="facts">
        <span>{type === "" ? "no type" : type}</span>
        {measures !== "" && <span>{measures}</span>}
        <span>{size(bytes.length)}</span>
        {failed && <span class="problem">The browser cannot show it as {type}.</span>}
        <button type="button" onClick={() => saveBlob(new Blob([bytes], { type }), `content.${ending}`)}>
          Save
        </button>
      </figcaption>
    </figure>
  );
}
