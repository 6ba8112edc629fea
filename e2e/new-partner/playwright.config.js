// @ts-check
import { defineConfig } from "@playwright/test";

const { CHROMIUM_PATH: executablePath, PORT } = process.env;

export default defineConfig({
  testMatch: "pay.spec.js",
  reporter: "line",
  use: {
    baseURL: `http://127.0.0.1:${PORT}`,
    locale: "es-CL",
    launchOptions: { ...(executablePath === undefined ? {} : { executablePath }), args: ["--no-sandbox"] },
  },
});
