import { useEffect, useRef, useState } from "react";
import styles from "./gallery-page.module.css";
import type { Picture } from "./gallery-settings.ts";

/** Used until the frame reports its height. */
const FIRST_HEIGHT_PX = 640;
const HEIGHT_MAX_PX = 20_000;

/** A state in its full height, which the frame reports. */
export function PictureFrame({ picture: { state, words, scheme, widthPx, url } }: { readonly picture: Picture }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [heightPx, setHeightPx] = useState(FIRST_HEIGHT_PX);
  const { origin } = new URL(url);
  useEffect(() => {
    const hear = ({ source, origin: from, data }: MessageEvent<unknown>) => {
      if (source !== frame.current?.contentWindow || from !== origin) return;
      const height = galleryHeightIn(data);
      if (height !== null) setHeightPx(Math.min(height, HEIGHT_MAX_PX));
    };
    window.addEventListener("message", hear);
    return () => window.removeEventListener("message", hear);
  }, [origin]);
  return (
    <figure className={styles.picture}>
      <figcaption>
        <a href={url} target="_blank" rel="noopener noreferrer">
          {state}
        </a>
        <small>{words}</small>
      </figcaption>
      <iframe
        ref={frame}
        className={styles.frame}
        data-scheme={scheme}
        src={`${url}&${new URLSearchParams({ viewer: window.location.origin })}`}
        title={`${state}, ${words}`}
        width={widthPx}
        height={heightPx}
        loading="lazy"
        sandbox="allow-scripts allow-same-origin allow-forms"
      />
    </figure>
  );
}

function galleryHeightIn(data: unknown): number | null {
  if (typeof data !== "object" || data === null || !("galleryHeight" in data)) return null;
  const { galleryHeight: height } = data;
  return typeof height === "number" && height > 0 ? height : null;
}
