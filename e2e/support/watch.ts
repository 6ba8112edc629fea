import type { BrowserContext } from "@playwright/test";

/**
 * Collects everything that the browser refuses on any page or frame of a context, and every console error. The returned
 * list grows over time.
 */
export async function watch(context: BrowserContext): Promise<string[]> {
  const violations: string[] = [];
  await context.exposeFunction("tellTest", (violation: string) => violations.push(violation));
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => {
      Reflect.get(window, "tellTest")?.(`CSP violation: ${effectiveDirective} blocked ${blockedURI}`);
    });
  });
  context.on("console", (message) => {
    // Some tests expect a refused request, which the browser logs as an error.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
      violations.push(message.text());
    }
  });
  context.on("weberror", (webError) => {
    const error = webError.error();
    violations.push(`${error.name}: ${error.message}`);
  });
  return violations;
}
