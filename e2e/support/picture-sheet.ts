import type { Page } from "@playwright/test";

/** Shows pictures below one another, each at its own size. */
export async function showPictures(page: Page, pictures: readonly Buffer[]): Promise<void> {
  const images = pictures.map((picture) => `<img src="data:image/png;base64,${picture.toString("base64")}">`);
  await page.setContent(`<!doctype html><style>${STYLE}</style>${images.join("")}`);
  await page.evaluate(async () => {
    for (const image of document.images) await image.decode();
  });
}

const STYLE = "body{width:max-content;margin:0}img{display:block;border-bottom:2px solid #888}";
