import { statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { expect, type Page, test } from "@playwright/test";
import sharp from "sharp";

/**
 * Baselines contain only multiples of this value, from 0 to 255. No channel is off by more than 1, and the file is a
 * third smaller.
 */
const CHANNEL_STEP = 3;

/**
 * Compares the whole page with `baselines/<folder>/<state>.webp`, and shrinks that file if Playwright has just written
 * it.
 */
export async function expectLook(page: Page, folder: string, state: string): Promise<void> {
  const name = [folder, `${state}.webp`];
  const path = test.info().snapshotPath(...name);
  const modifiedBefore = modifiedAtMs(path);
  try {
    await expect(page).toHaveScreenshot(name, { fullPage: true });
  } finally {
    if (modifiedAtMs(path) !== modifiedBefore) await writeFile(path, await shrink(await readFile(path)));
  }
}

/** Chromium encodes WebP quickly, but not compactly. The result is lossless except for the rounding. */
async function shrink(picture: Buffer): Promise<Buffer> {
  const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const rounded = data.map((channel) => Math.round(channel / CHANNEL_STEP) * CHANNEL_STEP);
  const { width, height } = info;
  return sharp(rounded, { raw: { width, height, channels: 3 } })
    .webp({ lossless: true, quality: 100, effort: 4 })
    .toBuffer();
}

function modifiedAtMs(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}
