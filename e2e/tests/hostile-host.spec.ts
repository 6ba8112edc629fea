import { CARDS } from "../kit/cards.ts";
import { CheckoutFrame } from "../kit/checkout-frame.ts";
import { newPatient } from "../kit/patients.ts";
import { short } from "../support/levels.ts";
import { envelope } from "../support/puppet-frame.ts";
import {
  everythingHeard,
  frameIt,
  RAW_HOST,
  sayByPort,
  sayToFrame,
  typesByPort,
  untilAnnounced,
} from "../support/raw-host.ts";
import { createCheckoutUrl, createTenant, productUrls, type Tenant } from "../support/tenant.ts";
import { test as base, expect } from "../support/test.ts";
import { openTestOrigin, type TestOrigin } from "../support/test-pages.ts";
import { withoutDrawnNames } from "../support/without-drawn-names.ts";

/*
 * What the checkout must never do for a stranger's page, and must never accept from its partner's. The checkout is the
 * real one, of a tenant that has registered one origin; the outer pages speak the protocol by hand.
 */

interface Stage {
  readonly tenant: Tenant;
  /** The page of the origin that the tenant has registered. */
  readonly partner: TestOrigin;
  readonly partnerUrl: string;
  /** The same page at an unregistered origin. */
  readonly stranger: TestOrigin;
  readonly strangerUrl: string;
  readonly checkoutUrl: string;
}

const HELLO = (session: string) => envelope({ session, type: "hello", payload: { mode: "inline" } });

const test = base.extend<{ stage: Stage }>({
  stage: async ({ page: _page }, use) => {
    const [partner, stranger] = await Promise.all([openTestOrigin(), openTestOrigin()]);
    const tenant = await createTenant([partner.origin]);
    await use({
      tenant,
      partner,
      partnerUrl: partner.put("/", RAW_HOST),
      stranger,
      strangerUrl: stranger.put("/", RAW_HOST),
      checkoutUrl: await createCheckoutUrl(tenant, newPatient()),
    });
    await Promise.all([partner.close(), stranger.close()]);
  },
});

const widgetOrigin = () => new URL(productUrls().widgetHostUrl).origin;

test.describe("the checkout", () => {
  test(
    "answers the registered page, by the port that came with its greeting",
    short("partner"),
    async ({ page, stage }) => {
      await page.goto(stage.partnerUrl);
      await frameIt(page, stage.checkoutUrl);
      await new CheckoutFrame(page).isOpen();
      await untilAnnounced(page);
      const port = await sayToFrame(page, HELLO("s-1"), widgetOrigin());
      await expect.poll(() => typesByPort(page, port)).toEqual(expect.arrayContaining(["ready", "step", "resize"]));
    },
  );

  test(
    "is not shown in an unregistered page, nor in any frame inside one",
    short("partner"),
    async ({ page, stage, isRefused }) => {
      await page.goto(stage.strangerUrl);
      await frameIt(page, stage.checkoutUrl);
      await expect.poll(() => page.frames().map((frame) => frame.url())).toContain("chrome-error://chromewebdata/");
      await sayToFrame(page, HELLO("s-1"), "*");
      expect(await everythingHeard(page)).toEqual({ heard: [], byPort: [[]] });

      await page.goto(stage.strangerUrl);
      const inner = await frameIt(page, stage.partnerUrl);
      await inner.evaluate((src) => Reflect.get(window, "frameIt")(src), stage.checkoutUrl);
      await expect.poll(() => page.frames().map((frame) => frame.url())).toContain("chrome-error://chromewebdata/");
      expect(await inner.evaluate(() => Reflect.get(window, "heard"))).toEqual([]);

      await isRefused("frame-ancestors", 2);

      await page.goto(stage.partnerUrl);
      await frameIt(page, stage.checkoutUrl);
      await new CheckoutFrame(page).isOpen();
    },
  );

  test("says nothing to a page that has opened it as a separate window", short("partner"), async ({ page, stage }) => {
    await page.goto(stage.strangerUrl);
    const popupOpens = page.waitForEvent("popup");
    await page.evaluate((url) => {
      Reflect.set(window, "opened", window.open(url));
    }, stage.checkoutUrl);
    const popup = await popupOpens;
    await expect(popup.getByRole("heading", { level: 1 })).toBeVisible();
    await page.evaluate(
      ([hello, origin]) => Reflect.get(window, "sayWithPort")(Reflect.get(window, "opened"), hello, origin),
      [HELLO("s-1"), widgetOrigin()] as const,
    );
    // The patient's next action shows that the greeting was received, because it came first.
    await popup.getByRole("button", { name: "Continuar" }).click();
    await expect(popup.getByRole("heading", { level: 1 })).toHaveText("Tus datos");
    expect(await everythingHeard(page)).toEqual({ heard: [], byPort: [[]] });
  });

  test("ignores sibling and nested frames", short("partner"), async ({ page, stage }) => {
    const siblingUrl = stage.partner.put("/sibling", RAW_HOST);
    await page.goto(stage.partnerUrl);
    await frameIt(page, stage.checkoutUrl);
    await new CheckoutFrame(page).isOpen();
    await untilAnnounced(page);
    const sibling = await frameIt(page, siblingUrl);
    await sibling.evaluate(
      ([hello, origin]) => Reflect.get(window, "sayWithPort")(window.parent.frames[0], hello, origin),
      [HELLO("s-sibling"), widgetOrigin()] as const,
    );
    const port = await sayToFrame(page, HELLO("s-1"), widgetOrigin());
    await expect.poll(() => typesByPort(page, port)).toContain("ready");
    expect(await sibling.evaluate(() => Reflect.get(window, "byPort"))).toEqual([[]]);
  });

  test("answers no greeting of another version, shape or used session", short("partner"), async ({ page, stage }) => {
    await page.goto(stage.partnerUrl);
    await frameIt(page, stage.checkoutUrl);
    await new CheckoutFrame(page).isOpen();
    await untilAnnounced(page);
    const refused = [
      { ...HELLO("s-0"), version: 0 },
      { ...HELLO("s-0"), version: 2 },
      { ...HELLO("s-0"), channel: "other" },
      { ...HELLO("s-0"), payload: {} },
      { ...HELLO("s-0"), payload: { mode: "fullscreen" } },
      { ...HELLO("s-0"), id: 0 },
      { ...HELLO("s-0"), type: "constructor" },
      { ...HELLO("María José"), type: "hello" },
      envelope({ session: "s-0", type: "token", payload: { widget_token: "stolen" } }),
      "hello",
      null,
    ];
    const ports: number[] = [];
    for (const data of refused) ports.push(await sayToFrame(page, data, widgetOrigin()));
    const first = await sayToFrame(page, HELLO("s-1"), widgetOrigin());
    await expect.poll(() => typesByPort(page, first)).toContain("ready");
    const again = await sayToFrame(page, HELLO("s-1"), widgetOrigin());
    const second = await sayToFrame(page, HELLO("s-2"), widgetOrigin());
    await expect.poll(() => typesByPort(page, second)).toContain("ready");
    for (const port of [...ports, again]) expect(await typesByPort(page, port)).toEqual([]);
  });

  test(
    "executes each request of its page once, in the session that it opened",
    short("partner"),
    async ({ page, stage }) => {
      const checkout = new CheckoutFrame(page);
      await page.goto(stage.partnerUrl);
      await frameIt(page, stage.checkoutUrl);
      await checkout.isOpen();
      await untilAnnounced(page);
      const port = await sayToFrame(page, HELLO("s-1"), widgetOrigin());
      await expect.poll(() => typesByPort(page, port)).toContain("ready");
      const say = (fields: Record<string, unknown>) => sayByPort(page, port, envelope({ session: "s-1", ...fields }));
      const english = checkout.heading("Get care now, pay later");
      await say({ id: 2, type: "locale", payload: { locale: "en" } });
      await expect(english).toBeVisible();

      const spanish = { type: "locale", payload: { locale: "es-CL" } };
      await say({ ...spanish, id: 1 });
      await say({ ...spanish, id: 2 });
      await say({ ...spanish, id: 5, session: "s-other" });
      await say({ ...spanish, id: 5, version: 2 });
      await say({ ...spanish, id: 5, type: "__proto__" });
      await say({ id: 5, type: "locale", payload: { locale: ["es-CL"] } });
      // The port keeps the order, so once this message is handled, all earlier ones are too.
      await say({ id: 5, type: "appearance", payload: { radius: "large" } });
      await expect(checkout.frame.locator("[data-radius=large]")).toBeAttached();
      await expect(english).toBeVisible();
      await say({ ...spanish, id: 6 });
      await expect(checkout.heading("Atiéndete ahora, paga después")).toBeVisible();
    },
  );

  test(
    "reports the patient's step to its page, and neither identity, input nor address",
    short("partner"),
    async ({ page, stage }) => {
      const patient = newPatient();
      const url = await createCheckoutUrl(stage.tenant, patient);
      await page.goto(stage.partnerUrl);
      await frameIt(page, url);
      const checkout = new CheckoutFrame(page);
      await checkout.isOpen();
      await untilAnnounced(page);
      await sayToFrame(page, HELLO("s-1"), widgetOrigin());
      const password = "clave-secreta-7";
      await checkout.acceptSummary();
      await checkout.register(patient, "Colmena", password);
      await checkout.proveIdentity(patient.documentSerial);
      await checkout.addCard(CARDS.approved);
      await checkout.pay();
      await checkout.isDone();

      const all = await everythingHeard(page);
      await expect.poll(() => typesByPort(page, 0)).toContain("completed");
      expect(all.heard.map(({ origin }) => origin)).toEqual(all.heard.map(() => widgetOrigin()));
      const words = JSON.stringify([await everythingHeard(page)]).toLowerCase();
      for (const word of ["announce", "widget_form_ready", "widget_payment_success", '"step"', '"paid"']) {
        expect(words).toContain(word);
      }
      const digits = words.replace(/[.\s-]/g, "");
      const secrets = [
        patient.firstName,
        patient.lastName,
        patient.email,
        patient.rut,
        patient.phone.slice(-9),
        patient.documentSerial,
        CARDS.approved.number,
        CARDS.approved.holder,
        password,
        new URL(url).searchParams.get("widget_token") ?? "no token in the address",
      ];
      for (const secret of secrets) {
        expect(words).not.toContain(secret.toLowerCase());
        expect(digits).not.toContain(secret.toLowerCase().replace(/[.\s-]/g, ""));
      }
      expect(withoutDrawnNames(words).replace(/[.\s-]/g, "")).not.toContain(CARDS.approved.number.slice(-4));
    },
  );
});
