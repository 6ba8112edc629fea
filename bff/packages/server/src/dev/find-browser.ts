import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "./doctor/browser.ts";

interface OpenedBrowser extends Browser {
  close(): Promise<void>;
}
interface Playwright {
  readonly chromium: {
    launch(options: { readonly executablePath?: string }): Promise<OpenedBrowser>;
  };
}

const PACKAGES = ["playwright", "@playwright/test", "playwright-core"];

/**
 * A headless Chromium of the Playwright in a partner's project; null if there is none, or none that starts.
 * CHROMIUM_PATH selects another one than Playwright's.
 */
export async function findBrowser(folder: string, chromiumPath: string | undefined): Promise<OpenedBrowser | null> {
  const { resolve } = createRequire(join(folder, "package.json"));
  for (const name of PACKAGES) {
    const found = await loadPlaywright(resolve, name);
    const browser = await found?.chromium
      .launch(chromiumPath === undefined ? {} : { executablePath: chromiumPath })
      .catch(() => null);
    if (browser !== undefined && browser !== null) return browser;
  }
  return null;
}

async function loadPlaywright(resolve: NodeJS.RequireResolve, name: string): Promise<Playwright | null> {
  try {
    const loaded = (await import(pathToFileURL(resolve(name)).href)) as Playwright & { readonly default?: Playwright };
    return loaded.default ?? loaded;
  } catch {
    return null;
  }
}
