import { spawnSync } from "node:child_process";
import { test } from "@playwright/test";
import { CARDS } from "../kit/cards.ts";
import { CheckoutFrame } from "../kit/checkout-frame.ts";
import { newPatient } from "../kit/patients.ts";
import { claimUntilCollected } from "../support/claim-until-collected.ts";
import { NewPartner } from "../support/new-partner.ts";
import { freePort, registerWebhook } from "../support/own-clinic.ts";
import { createTenant, productUrls } from "../support/tenant.ts";
import { expect, test as watched } from "../support/test.ts";

test.describe("a partner who begins in an empty folder", () => {
  test.setTimeout(300_000);

  test("installs the packages with npm, type-checks, is paid with a verified webhook, and has the claim approved and the rest collected", async () => {
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
      const said = await partner.run("env", `PORT=${port}`, "npx", "playwright", "test");
      expect(said).toContain("1 passed");
      const examined = await partner.run("npx", "aapd-dev", "doctor", "--page", own, "--webhook", forwardTo, "--json");
      expect(JSON.parse(examined)).toMatchObject({ score: 100 });
      const { hash } = await (await fetch(`${own}/sale`)).json();
      await claimUntilCollected({ client_secret: variables.CLIENT_SECRET ?? "" }, hash);
    } finally {
      await partner.end();
    }
  });

  test("installs them with pnpm and type-checks", async () => {
    const partner = await NewPartner.begin();
    try {
      await partner.install("pnpm");
      await partner.run("npx", "tsc", "-p", ".");
      expect(await partner.run("npx", "aapd-dev", "trigger", "--help")).toContain("latest_day");
    } finally {
      await partner.end();
    }
  });
});

/** What runs a back end that has nothing but the guide, where it is on the machine; `0` stands for its port. */
const languages = {
  Python: ["python3", "server.py"],
  PHP: ["php", "-S", "127.0.0.1:0", "server.php"],
} as const;

const found = Object.entries(languages).filter(
  ([, [program]]) => spawnSync(program, ["--version"]).error === undefined,
);

for (const [language, [program, ...args]] of found) {
  watched(
    `a partner in ${language}, with the guide alone, is paid, has the claim approved and the rest collected`,
    async ({ page }) => {
      const partner = await NewPartner.begin("plain");
      try {
        const port = String(await freePort());
        const own = `http://127.0.0.1:${port}`;
        const tenant = await createTenant([own]);
        const { orderApiUrl, spotApiUrl, widgetHostUrl } = productUrls();
        const { client_secret, public_key } = tenant.credentials;
        const words = args.map((word) => word.replace(/:0$/, `:${port}`));
        partner.start(program, words, {
          PORT: port,
          ORDER_API: orderApiUrl,
          SPOT_API: spotApiUrl,
          WIDGET_HOST: widgetHostUrl,
          CLIENT_SECRET: client_secret,
          PUBLIC_KEY: public_key,
          WEBHOOK_SECRET: await registerWebhook(tenant, `${own}/webhooks`),
        });
        const patient = newPatient();
        await expect
          .poll(() =>
            fetch(`${own}/sale`).then(
              (answer) => answer.status,
              () => 0,
            ),
          )
          .toBe(200);
        await page.goto(`${own}/?rut=${patient.rut}`);
        const checkout = new CheckoutFrame(page);
        await checkout.isOpen();
        await checkout.acceptSummary();
        await checkout.register(patient, "Colmena");
        await checkout.proveIdentity(patient.documentSerial);
        await checkout.addCard(CARDS.approved);
        await checkout.pay();
        await checkout.isDone();
        const sale = async () => (await fetch(`${own}/sale`)).json();
        await expect.poll(sale).toMatchObject({ webhook: "order.paid", expense: expect.stringMatching(/./) });
        await claimUntilCollected(tenant.credentials, (await sale()).hash);
      } finally {
        await partner.end();
      }
    },
  );
}
