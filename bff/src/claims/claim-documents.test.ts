import { readFileSync } from "node:fs";
import sharp from "sharp";
import { expect, test } from "vitest";
import type { FileType } from "../contract/expenses.ts";
import { claimDocuments } from "./claim-documents.ts";
import { createPictureConverter } from "./picture-converter.ts";

const picture = (name: string) => readFileSync(new URL(`../../test/fixtures/pictures/${name}`, import.meta.url));

function documentsOf(files: readonly (readonly [name: string, type: FileType, content: Buffer])[], timeoutMs?: number) {
  return claimDocuments(
    {
      storage: { get: async (name) => files.find(([fileName]) => fileName === name)?.[2] ?? Buffer.alloc(0) },
      pictures: createPictureConverter(timeoutMs === undefined ? {} : { timeoutMs }),
    },
    {
      providerId: "prov_1",
      files: files.map(([name, type, { length }]) => ({
        name,
        type,
        storageName: name,
        bytes: length,
        sha256: "",
        isLocked: false,
      })),
    },
  );
}

test("phone photos reach the insurer as JPEG, and every other file unchanged", async () => {
  const pdf = Buffer.from("%PDF-1.7\n");
  const documents = await documentsOf([
    ["boleta.heic", "image/heic", picture("receipt.heic")],
    ["orden.WEBP", "image/webp", picture("receipt.webp")],
    ["boleta.pdf", "application/pdf", pdf],
  ]);
  if (documents === "unreadable_picture") throw new Error("The pictures can be read.");
  expect(documents.map(({ name, type }) => [name, type])).toEqual([
    ["boleta.jpg", "image/jpeg"],
    ["orden.jpg", "image/jpeg"],
    ["boleta.pdf", "application/pdf"],
  ]);
  const contents = await Promise.all(documents.map((document) => document.read()));
  expect(contents[2]).toEqual(pdf);
  for (const jpeg of contents.slice(0, 2)) {
    const { data, info } = await sharp(jpeg).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([320, 240]);
    const [red = 0, green = 0] = data.subarray((60 * info.width + 60) * info.channels);
    expect(red).toBeGreaterThan(200);
    expect(green).toBeLessThan(60);
  }
});

test.each([
  ["cut off", "image/heic", picture("receipt.heic").subarray(0, 600)],
  ["garbage after the header", "image/webp", Buffer.from("RIFF0000WEBPVP8 ")],
] as const)("a picture that is %s cannot be read", async (_, type, content) => {
  expect(await documentsOf([["a", type, content]])).toBe("unreadable_picture");
});

test("an unavailable storage is reported as unavailable, not as an unreadable picture", async () => {
  const away = new Error("The disk is away.");
  const storage = { get: () => Promise.reject(away) };
  const photo = {
    name: "a.heic",
    type: "image/heic",
    storageName: "a",
    bytes: 1,
    sha256: "",
    isLocked: false,
  } as const;
  await expect(
    claimDocuments({ storage, pictures: createPictureConverter() }, { providerId: "prov_1", files: [photo] }),
  ).rejects.toBe(away);
});

test("a picture with too many pixels is not decoded, and one that takes too long is abandoned", {
  timeout: 30_000,
}, async () => {
  const small = { create: { width: 8_000, height: 6_300, channels: 3, background: "white" } } as const;
  const huge = await sharp(small).webp({ effort: 0 }).toBuffer();
  expect(huge.length).toBeLessThan(2_097_152);
  expect(await documentsOf([["a", "image/webp", huge]])).toBe("unreadable_picture");
  expect(await documentsOf([["a", "image/webp", picture("receipt.webp")]], 1)).toBe("unreadable_picture");
});
