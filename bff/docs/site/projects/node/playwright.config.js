import { defineConfig } from "@playwright/test";

const { CHROMIUM_PATH: executablePath, PORT = "3000" } = process.env;
const baseURL = `http://127.0.0.1:${PORT}`;

/** Starts the project, and `aapd-dev listen`, which forwards the webhooks to it. */
export default defineConfig({
  testDir: "tests",
  timeout: 120_000,
  webServer: [
    { command: "npm run dev", url: baseURL, timeout: 120_000 },
    { command: `npx aapd-dev listen --forward-to ${baseURL}/webhooks`, wait: { stdout: /Listening/ } },
  ],
  // CHROMIUM_PATH is only for a Chromium that Playwright has not installed.
  use: { baseURL, locale: "es-CL", launchOptions: executablePath === undefined ? {} : { executablePath } },
});
