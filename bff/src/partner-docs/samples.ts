import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../platform/program.ts";
import type { Deployment } from "./openapi.ts";

/** The version of the packages for partners that the guide names; a test compares it with theirs. */
export const PACKAGES_VERSION = "0.3.0";

export const PACKAGES = [
  ["@aapd/server", "your back end on Node: client, webhooks, signed receipts, and `aapd-dev`"],
  ["@aapd/embed", "your page: loads the kit by its hash, with types for TypeScript, JSX, Vue and HTML"],
  ["@aapd/react", "your page in React, beside `@aapd/embed`"],
  ["@aapd/e2e", "your browser tests: page objects for Playwright, people and cards of the sandbox"],
] as const;

/** The URL from which a package manager gets a package. */
export function tarballUrl(name: string, widgetHostUrl: string): string {
  return `${widgetHostUrl}/packages/${name.slice(1).replace("/", "-")}-${PACKAGES_VERSION}.tgz`;
}

const folder = join(packageFolder, "docs/site");

const files = [
  "start-checkout.mjs",
  "submit-receipt.mjs",
  "verify-webhook.mjs",
  "verify_webhook.py",
  "verify-webhook.php",
  "verify_webhook.rb",
  "VerifyWebhook.java",
  "VerifyWebhook.cs",
  "verify_webhook.go",
  "receive-webhook.mjs",
  "check-receipt.mjs",
  "page.html",
  "checkout.js",
  "pay-later.jsx",
  "checkout-screen.jsx",
  "CheckoutView.swift",
  "CheckoutView.kt",
] as const;

/** The code samples shown on the pages, by file. Tests run them. */
export type Samples = Readonly<Record<(typeof files)[number], string>>;

export function readSamples(): Samples {
  return Object.fromEntries(files.map((file) => [file, readSiteFile(file)])) as Samples;
}

/** Clients in one file, as partners download them. */
export const CLIENTS = ["aapd.py", "Aapd.php"] as const;

export function readClient(name: (typeof CLIENTS)[number]): string {
  return readSiteFile(`clients/${name}`);
}

/** Integration instructions for an AI assistant, with the addresses of this deployment. */
export function readSkill({ orderApiUrl, widgetHostUrl }: Pick<Deployment, "orderApiUrl" | "widgetHostUrl">): string {
  return readSiteFile("SKILL.md")
    .replaceAll("ORDER_API", orderApiUrl)
    .replaceAll("WIDGET_HOST", widgetHostUrl)
    .replaceAll("VERSION", PACKAGES_VERSION);
}

function readSiteFile(name: string): string {
  return readFileSync(join(folder, name), "utf8");
}
