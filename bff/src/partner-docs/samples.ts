import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../platform/program.ts";
import type { Deployment } from "./openapi.ts";
import { PACKAGES_VERSION } from "./packages.ts";

const folder = join(packageFolder, "docs/site");

const files = {
  startCheckout: "start-checkout.mjs",
  submitReceipt: "submit-receipt.mjs",
  verifyWebhook: "verify-webhook.mjs",
  verifyWebhookPython: "verify_webhook.py",
  verifyWebhookPhp: "verify-webhook.php",
  verifyWebhookRuby: "verify_webhook.rb",
  verifyWebhookJava: "VerifyWebhook.java",
  verifyWebhookCsharp: "VerifyWebhook.cs",
  verifyWebhookGo: "verify_webhook.go",
  receiveWebhook: "receive-webhook.mjs",
  checkReceipt: "check-receipt.mjs",
  page: "page.html",
  pageScript: "checkout.js",
  react: "pay-later.jsx",
  reactNative: "checkout-screen.jsx",
  swift: "CheckoutView.swift",
  kotlin: "CheckoutView.kt",
} as const;

/** The code samples that the pages show: real files that are run by tests. */
export type Samples = Readonly<Record<keyof typeof files, string>>;

export function readSamples(): Samples {
  const read = Object.entries(files).map(([name, file]) => [name, readSiteFile(file)]);
  return Object.fromEntries(read) as Samples;
}

/** The way through an integration for an assistant, with the addresses of this deployment. */
export function readSkill({ orderApiUrl, widgetHostUrl }: Pick<Deployment, "orderApiUrl" | "widgetHostUrl">): string {
  return readSiteFile("SKILL.md")
    .replaceAll("ORDER_API", orderApiUrl)
    .replaceAll("WIDGET_HOST", widgetHostUrl)
    .replaceAll("VERSION", PACKAGES_VERSION);
}

function readSiteFile(name: string): string {
  return readFileSync(join(folder, name), "utf8");
}
