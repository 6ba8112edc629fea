import decodeHeic from "heic-decode";
import sharp, { type Sharp } from "sharp";

/** More than any phone photo has. A small file may claim a far larger size to exhaust the memory. */
const PIXELS_MAX = 50_000_000;
/** Enough to read the smallest print of a receipt, and small enough for an insurer's portal. */
const SIDE_PIXELS_MAX = 3_000;
const JPEG_QUALITY = 85;

/**
 * Converts a picture to JPEG. It decodes untrusted files, so the service runs it in a child process:
 * `convert-picture.ts`.
 */
export async function pictureToJpeg(picture: unknown, type: string | undefined): Promise<Buffer> {
  if (!(picture instanceof Uint8Array)) throw new TypeError("A picture is bytes.");
  const opened = type === "image/heic" ? await openHeic(picture) : openWebp(picture);
  return opened
    .rotate()
    .resize({ width: SIDE_PIXELS_MAX, height: SIDE_PIXELS_MAX, fit: "inside", withoutEnlargement: true })
    .flatten({ background: "white" })
    .jpeg({ quality: JPEG_QUALITY })
    .toBuffer();
}

/** Reads the first frame of an animated picture. */
function openWebp(picture: Uint8Array): Sharp {
  return sharp(picture, { limitInputPixels: PIXELS_MAX, failOn: "error" });
}

async function openHeic(picture: Uint8Array): Promise<Sharp> {
  const images = await decodeHeic.all({ buffer: picture });
  try {
    const [first] = images;
    if (first === undefined || first.width * first.height > PIXELS_MAX)
      throw new RangeError("The picture is too large.");
    const { width, height, data } = await first.decode();
    return sharp(data, { raw: { width, height, channels: 4 } });
  } finally {
    images.dispose();
  }
}
