import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../platform/package-folder.ts";

const folder = join(packageFolder, "docs/site");

const files = {
  startCheckout: "start-checkout.mjs",
  submitReceipt: "submit-receipt.mjs",
  verifyWebhook: "verify-webhook.mjs",
  receiveWebhook: "receive-webhook.mjs",
  checkReceipt: "check-receipt.mjs",
  page: "page.html",
  pageScript: "checkout.js",
  reactComponent: "aapd-checkout.jsx",
  reactNative: "checkout-screen.jsx",
  swift: "CheckoutView.swift",
  kotlin: "CheckoutView.kt",
} as const;

/** The code samples that the pages show: real files that are run by tests. */
export type Samples = Readonly<Record<keyof typeof files, string>>;

export function readSamples(): Samples {
  return {
    startCheckout: readSiteFile(files.startCheckout),
    submitReceipt: readSiteFile(files.submitReceipt),
    verifyWebhook: readSiteFile(files.verifyWebhook),
    receiveWebhook: readSiteFile(files.receiveWebhook),
    checkReceipt: readSiteFile(files.checkReceipt),
    page: readSiteFile(files.page),
    pageScript: readSiteFile(files.pageScript),
    reactComponent: readSiteFile(files.reactComponent),
    reactNative: readSiteFile(files.reactNative),
    swift: readSiteFile(files.swift),
    kotlin: readSiteFile(files.kotlin),
  };
}

export function readStylesheet(): string {
  return readSiteFile("docs.css");
}

function readSiteFile(name: string): string {
  return readFileSync(join(folder, name), "utf8");
}
