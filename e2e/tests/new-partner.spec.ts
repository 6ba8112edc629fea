import { expect, test } from "@playwright/test";
import { newPatient } from "../kit/patients.ts";
import { claimUntilCollected } from "../support/claim-until-collected.ts";
import { long } from "../support/levels.ts";
import { NewPartner } from "../support/new-partner.ts";
import { freePort } from "../support/own-clinic.ts";
import { LANGUAGES, payAtPartner, startInLanguage } from "../support/partner-in-language.ts";
import { productUrls } from "../support/tenant.ts";
import { test as watched } from "../support/test.ts";

test.describe("a partner who begins in an empty folder", () => {
  test.setTimeout(600_000);

  test(
    "a new partner installs with npm, type-checks, gets a verified webhook, an approved claim and the rest",
    long(
      "e2e/tests/partner.spec.ts",
      "a partner with only the guide sells in a few lines, up to the approved claim and the collected rest",
    ),
    async () => {
      const partner = await NewPartner.begin();
      try {
        await partner.install("npm");
        await partner.run("npx", "tsc", "-p", ".");
        const port = String(await freePort());
        const { orderApiUrl } = productUrls();
        const own = `http://127.0.0.1:${port}`;
        await partner.run("npx", "aapd-dev", "sandbox", "--api", orderApiUrl, "--origin", own);
        const variables: Record<string, string> = JSON.parse(await partner.run("npx", "aapd-dev", "env", "--json"));
        partner.start(process.execPath, ["server.js"], { ...variables, PORT: port });
        const bin = "node_modules/@aapd/server/lib/packages/server/src/dev/main.js";
        const forwardTo = `${own}/webhooks`;
        partner.start(process.execPath, [bin, "listen", "--forward-to", forwardTo, "--json"], {});
        // Two more back ends, for the tenants of two workers.
        const ports = `BACK_END_PORTS=${await freePort()},${await freePort()}`;
        const set = [`PORT=${port}`, `ORDER_API=${orderApiUrl}`, ports];
        const output = await partner.run("env", ...set, "npx", "playwright", "test");
        expect(output).toContain("4 passed");
        const { hash } = await (await fetch(`${own}/sale`)).json();
        // The doctor's page is another sale.
        const page = `${own}/?rut=${newPatient().rut}`;
        const examined = await partner.run(
          "npx",
          "aapd-dev",
          "doctor",
          "--page",
          page,
          "--webhook",
          forwardTo,
          "--json",
        );
        expect(JSON.parse(examined)).toMatchObject({ score: 100 });
        await claimUntilCollected({ client_secret: variables.CLIENT_SECRET ?? "" }, hash);
      } finally {
        await partner.end();
      }
    },
  );

  test(
    "installs them with pnpm and type-checks",
    long(
      "e2e/tests/partner.spec.ts",
      "a partner with only the guide sells in a few lines, up to the approved claim and the collected rest",
    ),
    async () => {
      const partner = await NewPartner.begin();
      try {
        await partner.install("pnpm");
        await partner.run("npx", "tsc", "-p", ".");
        expect(await partner.run("npx", "aapd-dev", "trigger", "--help")).toContain("latest_day");
      } finally {
        await partner.end();
      }
    },
  );
});

for (const language of LANGUAGES) {
  watched(
    `a partner in ${language}, with the guide alone, is paid, has the claim approved and the rest collected`,
    long(
      "e2e/tests/partner.spec.ts",
      "a partner with only the guide sells in a few lines, up to the approved claim and the collected rest",
    ),
    async ({ page }) => {
      const partner = await NewPartner.begin("plain");
      try {
        const port = String(await freePort());
        const { credentials } = await startInLanguage(partner, language, port);
        await claimUntilCollected(credentials, await payAtPartner(page, `http://127.0.0.1:${port}`));
      } finally {
        await partner.end();
      }
    },
  );
}
