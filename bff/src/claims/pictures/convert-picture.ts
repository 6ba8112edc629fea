/*
 * A program: takes one picture as a message and answers with it as a JPEG, or ends. `picture-converter.ts` runs it.
 */
import { pictureToJpeg } from "./picture-to-jpeg.ts";

const [, , type] = process.argv;

process.once("message", (picture) => void answer(picture).finally(() => process.disconnect()));

async function answer(picture: unknown): Promise<void> {
  const jpeg = await pictureToJpeg(picture, type);
  await new Promise((resolve) => process.send?.(jpeg, resolve));
}
