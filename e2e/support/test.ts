import { AxeBuilder } from "@axe-core/playwright";
import { test as base, expect, type Page } from "@playwright/test";
import { ClinicPage } from "../kit/clinic-page.ts";
import { watch } from "./watch.ts";

interface Fixtures {
  readonly clinic: ClinicPage;
  /** Fails the test when axe finds anything on the page or in its frame; on the test's own page, unless told of another. */
  readonly checkAccessibility: (of?: Page) => Promise<void>;
  /** What the browser refused on any page or frame of the test; must stay empty. */
  readonly violations: string[];
}

/** Every test watches its pages, also those that open by a link or beside the first: no violation of a policy, no error in the console. */
export const test = base.extend<Fixtures>({
  violations: [
    async ({ context }, use) => {
      const violations = await watch(context);
      await use(violations);
      expect(violations).toEqual([]);
    },
    { auto: true },
  ],
  clinic: async ({ page }, use) => {
    await use(new ClinicPage(page));
  },
  checkAccessibility: async ({ page }, use) => {
    await use(async (of = page) => {
      const { violations } = await new AxeBuilder({ page: of }).analyze();
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`)).toEqual([]);
    });
  },
});

export { expect };
