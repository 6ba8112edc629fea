import { newPatient } from "../kit/patients.ts";
import { hostPage, mount } from "../support/host-page.ts";
import { short } from "../support/levels.ts";
import { createCheckoutUrl, createTenant, productUrls } from "../support/tenant.ts";
import { expect, test } from "../support/test.ts";
import { openTestOrigin } from "../support/test-pages.ts";

test("in the dark scheme the frame has one colour from side to side", short("patient"), async ({ page }) => {
  const partner = await openTestOrigin();
  const tenant = await createTenant([partner.origin]);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto(partner.put("/", hostPage(`${productUrls().widgetHostUrl}/embed/v1.js`)));
  await mount(page, { url: await createCheckoutUrl(tenant, newPatient()) });
  const frame = page.frameLocator("iframe").locator(".aapd-frame[data-standalone=false]");
  await frame.waitFor();
  const colours = await frame.evaluate((element) =>
    [element, element.querySelector("main")].map((part) => part && getComputedStyle(part).backgroundColor),
  );
  expect(colours[0]).not.toBe("rgba(0, 0, 0, 0)");
  expect(colours[0]).toBe(colours[1]);
  await partner.close();
});

test(
  "a gallery of frames keeps its focus and its place, whatever the states in it do",
  short("partner"),
  async ({ page }) => {
    const states = ["review-consent-missing", "patient-faults", "card-declined", "recognition-wrong"];
    const frames = states.map((state) => {
      const src = `${productUrls().widgetHostUrl}/gallery.html?state=${state}`;
      return `<iframe title="${state}" src="${src}" width="360" height="900"></iframe>`;
    });
    const gallery = await openTestOrigin();
    const html = `<!doctype html><html lang="en"><title>Gallery</title><h1 style="height:1200px">Gallery</h1>${frames.join("")}</html>`;
    await page.goto(gallery.put("/", { html }));
    for (const state of states) {
      const shown = page.frameLocator(`iframe[title="${state}"]`).locator("html[data-gallery-state=shown]");
      await shown.waitFor({ state: "attached" });
    }
    expect(await page.evaluate(() => [document.activeElement?.localName, scrollY])).toEqual(["body", 0]);
    await gallery.close();
  },
);
