/** The version of the packages for partners that the guide names; a test compares it with theirs. */
export const PACKAGES_VERSION = "0.3.0";

export const PACKAGES = [
  ["@aapd/server", "your back end on Node: client, webhooks, signed receipts, and `aapd-dev`"],
  ["@aapd/embed", "your page: loads the kit by its hash, with types for TypeScript, JSX, Vue and HTML"],
  ["@aapd/react", "your page in React, beside `@aapd/embed`"],
  ["@aapd/e2e", "your browser tests: page objects for Playwright, people and cards of the sandbox"],
] as const;

/** Where a package manager gets a package from. */
export function tarballUrl(name: string, widgetHostUrl: string): string {
  return `${widgetHostUrl}/packages/${name.slice(1).replace("/", "-")}-${PACKAGES_VERSION}.tgz`;
}
