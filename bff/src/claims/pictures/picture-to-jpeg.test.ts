import { readFileSync } from "node:fs";
import decodeHeic from "heic-decode";
import sharp from "sharp";
import { expect, onTestFinished, test, vi } from "vitest";
import { pictureToJpeg } from "./picture-to-jpeg.ts";

const picture = (name: string) => readFileSync(new URL(`../../../test/fixtures/pictures/${name}`, import.meta.url));

const sizeOf = async (jpeg: Buffer) => {
  const { format, width, height } = await sharp(jpeg).metadata();
  return `${format} ${width} x ${height}`;
};
const webp = (width: number, height: number, background: object | string = "white") =>
  sharp({ create: { width, height, channels: 4, background } })
    .webp({ effort: 0 })
    .toBuffer();

test.each([
  ["receipt.heic", "image/heic"],
  ["receipt.webp", "image/webp"],
])("%s keeps its size", async (name, type) => {
  expect(await sizeOf(await pictureToJpeg(picture(name), type))).toBe("jpeg 320 x 240");
});

test("a picture is scaled down to at most 3000 pixels in width and height", async () => {
  expect(await sizeOf(await pictureToJpeg(await webp(3_002, 16), "image/webp"))).toBe("jpeg 3000 x 16");
  expect(await sizeOf(await pictureToJpeg(await webp(16, 3_002), "image/webp"))).toBe("jpeg 16 x 3000");
});

test("transparent pixels become white", async () => {
  const jpeg = await pictureToJpeg(await webp(4, 4, { r: 0, g: 0, b: 0, alpha: 0 }), "image/webp");
  const points = await sharp(jpeg).raw().toBuffer();
  expect([...new Set(points)]).toEqual([255]);
});

/** A small file whose header claims another size. */
function heicClaiming(width: number, height: number): Buffer {
  const file = picture("receipt.heic");
  for (let at = file.indexOf("ispe"); at >= 0; at = file.indexOf("ispe", at + 1)) {
    file.writeUInt32BE(width, at + 8);
    file.writeUInt32BE(height, at + 12);
  }
  return file;
}

test("a picture whose header claims more than fifty million pixels is not decoded", async () => {
  const tooLarge = new RangeError("The picture is too large.");
  await expect(pictureToJpeg(heicClaiming(10_000, 5_001), "image/heic")).rejects.toThrow(tooLarge);
});

test("a picture whose header claims fifty million pixels is decoded", async () => {
  // The decoder is replaced, because it would allocate memory for all of them.
  const decode = async () => ({ width: 1, height: 1, data: new Uint8ClampedArray(4) });
  const images = Object.assign([{ width: 10_000, height: 5_000, decode }], { dispose: () => undefined });
  const opened = vi.spyOn(decodeHeic, "all").mockResolvedValueOnce(images);
  onTestFinished(() => opened.mockRestore());
  expect(await sizeOf(await pictureToJpeg(picture("receipt.heic"), "image/heic"))).toBe("jpeg 1 x 1");
});

test("input that is not bytes is rejected", async () => {
  await expect(pictureToJpeg("/etc/hostname", "image/webp")).rejects.toThrow("A picture is bytes.");
});
