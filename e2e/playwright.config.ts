import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig, devices } from "@playwright/test";

/** The first of the product's ports. Set another value to test two checkouts on one machine at the same time. */
const firstPort = Number(process.env.E2E_FIRST_PORT ?? 5000);

/** The whole product on its own ports, with temporary data. A running development server stays untouched. */
const ports = {
  DEMO_PORT: String(firstPort),
  ORDER_API_PORT: String(firstPort + 10),
  SPOT_API_PORT: String(firstPort + 20),
  WIDGET_HOST_PORT: String(firstPort + 30),
  SANDBOX_PARTIES_PORT: String(firstPort + 40),
  OPERATIONS_PORT: String(firstPort + 70),
};
// The environment in which tests find the services, which they call as a partner's back end does.
Object.assign(process.env, ports);
// Each worker reads the configuration again. The first process to read it creates the folder, and ends last.
if (process.env.PRODUCT_DATA_DIR === undefined) {
  const folder = mkdtempSync(join(tmpdir(), "aapd-e2e-"));
  process.env.PRODUCT_DATA_DIR = folder;
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
}

/** The full browser, as patients have it. */
const chromium = process.env.CHROMIUM_PATH;
/**
 * Chromium without a user interface, which takes a fifth less time. If it is not installed, the full browser is used.
 */
const shell = process.env.HEADLESS_SHELL_PATH ?? chromium;
const firefox = process.env.FIREFOX_PATH;

/** Tests that start another vendor's browser themselves. */
const byDriver = /\/engines\.spec\.ts/;

/** Apps that install Next.js, on request by `NEXT_APPS`. */
const nextApps = /\/next-apps\.spec\.ts/;

/** The whole visit of a new patient, with axe on each screen. */
const wholeWay = /a new patient pays/;

/** Tests of what the browser itself does around and between pages: focus, frames, policies, storage. */
const ofTheBrowser = /\/(pay|embed|hostile|hostile-host|keyboard|no-storage|returns)\.spec\.ts/;

/**
 * A page that requests a separate process shares one here, which makes a checkout in a clinic's page an eighth faster.
 * Tests of process isolation use the full browser, which gives each page its own process.
 */
const oneProcessAPage = "--disable-site-isolation-trials";

function launchOptions(executablePath: string | undefined, ...more: readonly string[]) {
  return {
    ...(executablePath === undefined ? {} : { executablePath }),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...more,
    ],
  };
}

/** Whether the same visits also run in other vendors' browsers. Those that are not installed are left out. */
const areOthersAsked = process.env.OTHER_ENGINES !== undefined;

/** Firefox as its vendor ships it, over WebDriver BiDi. */
const firefoxProject = {
  name: "firefox",
  testMatch: /pay\.spec\.ts/,
  grep: wholeWay,
  // Axe checks five pages, each of which takes this browser seconds on an idle machine.
  timeout: 360_000,
  use: {
    browserName: "firefox" as const,
    // For a screenshot, the driver adds a style to the page, which the page's policy refuses.
    screenshot: "off" as const,
    channel: "moz-firefox",
    viewport: { width: 1280, height: 900 },
    launchOptions: {
      ...(firefox === undefined ? {} : { executablePath: firefox }),
      // Over BiDi, clicks and keys do not reach a frame in a separate process.
      firefoxUserPrefs: { "fission.autostart": false, "fission.webContentIsolationStrategy": 0 },
    },
  },
};

/** The engines that are driven by their vendors' own drivers. */
const engineProjects = [
  { engine: "firefox", program: firefox },
  { engine: "webkit", program: process.env.WEBKIT_DRIVER_PATH },
].flatMap(({ engine, program }) =>
  program === undefined ? [] : [{ name: `${engine}-driver`, testMatch: byDriver, metadata: { engine } }],
);

export default defineConfig({
  testDir: "tests",
  fullyParallel: true,
  forbidOnly: process.env.CI !== undefined,
  // A failed test runs once more, only for its trace. It counts as failed even if the second run passes.
  retries: 1,
  failOnFlakyTests: true,
  workers: 2,
  // On a busy machine a screen takes ten times as long as on an idle one. A missing one still fails.
  timeout: 120_000,
  expect: {
    timeout: 30_000,
    // A grey that is off by 2 of 255 passes: 1 for the baseline's rounding, 1 for another processor. Off by 4 always
    // fails.
    toHaveScreenshot: { maxDiffPixels: 20, threshold: 0.008 },
  },
  snapshotPathTemplate: "baselines/{arg}{ext}",
  outputDir: "../.cache/e2e",
  use: {
    baseURL: `http://127.0.0.1:${ports.DEMO_PORT}`,
    locale: "es-CL",
    timezoneId: "America/Santiago",
    // Recording each test would take a tenth of the time. The first failure keeps a screenshot of its end.
    trace: "on-first-retry",
    screenshot: "only-on-failure",
    launchOptions: launchOptions(chromium),
  },
  // The longest tests run first and the many small ones last, so that no worker waits long for the other at the end.
  projects: [
    ...(areOthersAsked && firefox !== undefined ? [firefoxProject] : []),
    ...(areOthersAsked ? engineProjects : []),
    {
      name: "desktop",
      testIgnore: [
        /looks\.spec\.ts/,
        ofTheBrowser,
        byDriver,
        ...(process.env.NEXT_APPS === undefined ? [nextApps] : []),
      ],
      use: {
        ...devices["Desktop Chrome"],
        viewport: { width: 1280, height: 900 },
        launchOptions: launchOptions(shell, oneProcessAPage),
      },
    },
    {
      name: "browser",
      testMatch: ofTheBrowser,
      // This visit runs on a phone. On a wide screen, a scenario covers it, and Firefox if it is requested and
      // installed.
      ...(areOthersAsked && firefox === undefined ? {} : { grepInvert: wholeWay }),
      use: { ...devices["Desktop Chrome"], viewport: { width: 1280, height: 900 } },
    },
    { name: "phone", testMatch: /pay\.spec\.ts/, grep: wholeWay, use: { ...devices["Pixel 7"] } },
    { name: "looks", testMatch: /looks\.spec\.ts/, use: { trace: "off", launchOptions: launchOptions(shell) } },
  ],
  webServer: {
    command: "node ../host-demo/dist/start/main.js --end-with-input",
    url: `http://127.0.0.1:${ports.DEMO_PORT}/healthz`,
    env: { ...ports, PRODUCT_DATA_DIR: process.env.PRODUCT_DATA_DIR, LOG_LEVEL: "info" },
    // It takes seconds on an idle machine, and more than a minute next to twenty others.
    timeout: 240_000,
    stdout: "ignore",
    stderr: "pipe",
    gracefulShutdown: { signal: "SIGTERM", timeout: 45_000 },
  },
});
