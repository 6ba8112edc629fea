// @ts-check
import { defineConfig } from "@playwright/test";

const { CHROMIUM_PATH: executablePath, PORT } = process.env;

export default defineConfig({
  testMatch: ["pay.spec.js", "fixtures.spec.js"],
  workers: 2,
  timeout: 120_000,
  reporter: "line",
  use: {
    baseURL: `http://127.0.0.1:${PORT}`,
    locale: "es-CL",
    launchOptions: { ...(executablePath === undefined ? {} : { executablePath }), args: ["--no-sandbox"] },
  },
});
