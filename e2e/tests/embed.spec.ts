import { CARDS } from "../kit/cards.ts";
import { CheckoutFrame } from "../kit/checkout-frame.ts";
import { newPatient } from "../kit/patients.ts";
import { hostPage, hostReports, mount, POLICIES, preload, showPreloaded } from "../support/host-page.ts";
import { layoutShifts, watchLayoutShifts } from "../support/layout-shifts.ts";
import { long, short } from "../support/levels.ts";
import { createCheckoutUrl, createTenant, productUrls } from "../support/tenant.ts";
import { test as base, expect } from "../support/test.ts";
import { openTestOrigin, type TestOrigin } from "../support/test-pages.ts";

interface Fixtures {
  /** A partner's own origin, which its tenant has registered. */
  readonly partner: TestOrigin;
}

const test = base.extend<Fixtures>({
  partner: async ({ page: _page }, use) => {
    const partner = await openTestOrigin();
    await use(partner);
    await partner.close();
  },
});

const kitUrl = () => `${productUrls().widgetHostUrl}/embed/v1.js`;
const widgetOrigin = () => new URL(productUrls().widgetHostUrl).origin;

async function checkoutFor(partner: TestOrigin): Promise<string> {
  return createCheckoutUrl(await createTenant([partner.origin]), newPatient());
}

test.describe("a partner's page needs no exception in its policy", () => {
  for (const name of ["nonceOnly", "trustedTypes"] as const) {
    test(
      `under ${name}, inline and as a dialog, which asks before it drops typed data`,
      short("partner"),
      async ({ page, partner }) => {
        const url = await checkoutFor(partner);
        await page.goto(partner.put("/", hostPage(kitUrl(), POLICIES[name](widgetOrigin()))));
        await mount(page, { url });
        const checkout = new CheckoutFrame(page);
        await checkout.isOpen();
        await checkout.acceptSummary();
        await expect(checkout.heading("Tus datos")).toBeVisible();
        // The frame fits this longer screen: the styles load, and the page's policy allows the height.
        const height = async () => (await page.locator("iframe").boundingBox())?.height ?? 0;
        await expect.poll(height).toBeGreaterThan(700);
        await mount(page, { url, mode: "dialog" });
        await checkout.isOpen();
        await expect(page.getByRole("dialog")).toBeVisible();
        await checkout.acceptSummary();
        const document = checkout.frame.getByLabel("Número de documento");
        await document.fill("123");
        const close = page.getByRole("button", { name: "Cerrar" });
        await close.click();
        await checkout.frame.getByRole("button", { name: "Seguir aquí" }).click();
        await expect(document).toHaveValue("123");
        await close.click();
        await checkout.frame.getByRole("button", { name: "Salir" }).click();
        await expect(page.getByRole("dialog")).toHaveCount(0);
        expect((await hostReports(page)).callbacks.filter((call) => call.name === "onError")).toEqual([]);
      },
    );
  }

  test("a host whose policy forbids the frame is notified", short("partner"), async ({ page, partner, isRefused }) => {
    const url = await checkoutFor(partner);
    await page.goto(partner.put("/", hostPage(kitUrl(), POLICIES.framesForbidden())));
    await mount(page, { url });
    await expect
      .poll(async () => (await hostReports(page)).callbacks)
      .toEqual([{ name: "onError", given: { type: "load_error", reason: "csp" } }]);
    await expect(page.getByRole("alert").getByRole("link")).toHaveAttribute("href", url);
    await isRefused("frame-src");
    await isRefused("/docs/embedding#csp");
  });
});

test(
  "a preloaded checkout is silent until it is shown, and is then shown without another load",
  short("partner"),
  async ({ page, partner }) => {
    const url = await checkoutFor(partner);
    await page.goto(partner.put("/", hostPage(kitUrl(), POLICIES.trustedTypes(widgetOrigin()))));
    const asked: string[] = [];
    page.on("request", (request) => {
      const { origin, pathname } = new URL(request.url());
      if (origin === widgetOrigin() && !/^\/(assets|embed)\//.test(pathname)) asked.push(pathname);
    });
    await preload(page, url);
    const frame = page.frameLocator("iframe");
    const button = frame.locator("#app button").first();
    await button.waitFor({ state: "attached" });
    // React has hydrated the page, so all its initial work is done.
    await expect
      .poll(() => button.evaluate((element) => Object.keys(element).some((key) => key.startsWith("__react"))))
      .toBe(true);
    expect(asked).toEqual(["/"]);
    await expect(button).toBeHidden();

    expect(await showPreloaded(page)).toEqual({ heardBefore: 0, isSameFrame: true });
    const checkout = new CheckoutFrame(page);
    await checkout.isOpen();
    expect(asked).toEqual(["/"]);
    await checkout.acceptSummary();
    await expect.poll(() => asked).toEqual(["/", "/api/spot/widget/shown"]);
    await expect(checkout.heading("Tus datos")).toBeVisible();
    expect((await hostReports(page)).callbacks.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["onReady", "onStep"]),
    );
  },
);

test(
  "a checkout shown while it is being preloaded is loaded once, without a second wait",
  short("partner"),
  async ({ page, partner }) => {
    const url = await checkoutFor(partner);
    await page.goto(partner.put("/", hostPage(kitUrl())));
    let loads = 0;
    page.on("request", (request) => {
      if (new URL(request.url()).pathname === "/" && request.url().startsWith(widgetOrigin())) loads += 1;
    });
    await preload(page, url);
    await showPreloaded(page);
    const checkout = new CheckoutFrame(page);
    await checkout.acceptSummary();
    await expect(checkout.heading("Tus datos")).toBeVisible();
    expect(loads).toBe(1);
    const steps = (await hostReports(page)).received.filter((type) => type === "step");
    expect(steps, "the summary and the next").toHaveLength(2);
  },
);

test.describe("a checkout that does not appear is replaced by a link after its second attempt", () => {
  /** Time enough for both attempts. */
  const GIVEN_UP_MS = 21_000;

  test(
    "because the frame refuses a page that is not registered",
    short("partner"),
    async ({ page, partner, isRefused }) => {
      await page.clock.install();
      // A refused document is replaced by the browser's own error page.
      let framesLoaded = 0;
      await page.exposeFunction("frameLoaded", () => {
        framesLoaded += 1;
      });
      await page.addInitScript(() => {
        const tell = ({ target }: Event) => target instanceof HTMLIFrameElement && Reflect.get(window, "frameLoaded")();
        document.addEventListener("load", tell, true);
      });
      const url = await createCheckoutUrl(await createTenant(["https://somebody-else.example"]), newPatient());
      await page.goto(partner.put("/", hostPage(kitUrl())));
      await mount(page, { url });
      for (const attempt of [1, 2]) {
        await expect.poll(() => framesLoaded).toBe(attempt);
        await page.clock.fastForward(GIVEN_UP_MS / 2);
      }
      await expect
        .poll(async () => (await hostReports(page)).callbacks)
        .toEqual([{ name: "onError", given: { type: "load_error", reason: "not_ready" } }]);
      await expect(page.getByRole("alert").getByRole("link")).toHaveAttribute("href", url);
      await isRefused("frame-ancestors");
      await isRefused("/docs/embedding#origin");
    },
  );

  test(
    "because nothing arrives in time; a late checkout is still shown",
    short("partner"),
    async ({ page, partner, isRefused }) => {
      await page.clock.install();
      const url = await checkoutFor(partner);
      const held: (() => void)[] = [];
      await page.route(
        (address) => address.origin === widgetOrigin() && !address.pathname.startsWith("/embed/"),
        (route) =>
          new Promise<void>((resolve) => {
            held.push(() => resolve(route.continue()));
          }),
      );
      await page.goto(partner.put("/", hostPage(kitUrl())));
      await mount(page, { url });
      await expect.poll(() => held.length).toBe(1);
      await page.clock.fastForward(GIVEN_UP_MS / 2);
      await expect.poll(() => held.length).toBe(2);
      expect((await hostReports(page)).callbacks).toEqual([]);
      await page.clock.fastForward(GIVEN_UP_MS / 2);
      await expect
        .poll(async () => (await hostReports(page)).callbacks)
        .toEqual([{ name: "onError", given: { type: "load_error", reason: "timeout" } }]);
      await expect(page.getByRole("alert").getByRole("link")).toHaveAttribute("href", url);

      await page.unrouteAll({ behavior: "ignoreErrors" });
      for (const release of held) release();
      await new CheckoutFrame(page).isOpen();
      const names = async () => (await hostReports(page)).callbacks.map(({ name }) => name).slice(0, 2);
      await expect.poll(names).toEqual(["onError", "onReady"]);
      await expect(page.getByRole("alert")).toHaveCount(0);
      await isRefused("/docs/embedding#timeout");
    },
  );
});

for (const viewport of [
  { width: 1280, height: 900 },
  { width: 360, height: 740 },
]) {
  test(
    `nothing of the clinic's page moves by itself during the whole visit, at ${viewport.width} px`,
    viewport.width < 400
      ? short("patient")
      : long(
          "e2e/tests/embed.spec.ts",
          "nothing of the clinic's page moves by itself during the whole visit, at 360 px",
        ),
    async ({ page, clinic }) => {
      await page.setViewportSize(viewport);
      await watchLayoutShifts(page);
      const patient = newPatient();
      await clinic.startCheckout(patient);
      await clinic.checkout.acceptSummary();
      await clinic.checkout.register(patient, "Colmena", "clave-de-prueba");
      await clinic.checkout.proveIdentity(patient.documentSerial);
      await clinic.checkout.addCard(CARDS.declined);
      await clinic.checkout.pay();
      await expect(clinic.checkout.alert).toBeVisible();
      await clinic.checkout.changeCard(CARDS.approved);
      await clinic.checkout.pay();
      await clinic.checkout.isDone();
      await clinic.isPaid();
      await expect(clinic.happenings("receipt_submitted")).toHaveCount(1);
      expect(await layoutShifts(page)).toEqual([]);

      // Proves that the measurement works: an element inserted above moves everything below, unless the browser adjusts
      // the scroll position. Shifts right after an input are not reported, so insertions repeat until one is. The
      // browser reports nothing during a press, and one that began on the page and ended in the frame ends only now.
      await page.mouse.move(1, 1);
      await page.mouse.up();
      const shiftsByOneMore = async () => {
        await page.evaluate(() => {
          document.documentElement.style.overflowAnchor = "none";
          document.body.prepend(Object.assign(document.createElement("p"), { textContent: "What nobody expected" }));
        });
        return (await layoutShifts(page)).length;
      };
      await expect.poll(shiftsByOneMore).toBeGreaterThan(0);
    },
  );
}
