import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import { test as base } from "./test.ts";

/** The settings "block all cookies", which also denies storage, and "block third-party cookies". */
const DENIED = {
  default_content_setting_values: { cookies: 2 },
  cookie_controls_mode: 1,
  block_third_party_cookies: true,
};

/**
 * Tests in a browser that stores nothing: it blocks all cookies and refuses storage to every page. It is a separate
 * browser, because these are settings of a profile, and the tests' shared browser has no profile.
 */
export const test = base.extend({
  context: async ({ contextOptions, launchOptions, baseURL, viewport }, use) => {
    const profile = await mkdtemp(join(tmpdir(), "aapd-profile-"));
    await mkdir(join(profile, "Default"));
    await writeFile(join(profile, "Default/Preferences"), JSON.stringify({ profile: DENIED }));
    const own = { viewport, baseURL: baseURL ?? "", locale: "es-CL", timezoneId: "America/Santiago" };
    const context = await chromium.launchPersistentContext(profile, { ...contextOptions, ...launchOptions, ...own });
    await use(context);
    await context.close();
    await rm(profile, { recursive: true, force: true });
  },
});
