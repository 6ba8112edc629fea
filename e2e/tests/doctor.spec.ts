import { examine } from "bff/doctor";
import { newPatient } from "../kit/patients.ts";
import { short } from "../support/levels.ts";
import { createCheckoutUrl, createTenant, productUrls, type Tenant } from "../support/tenant.ts";
import { test as base, expect } from "../support/test.ts";
import { openTestOrigin, type TestOrigin } from "../support/test-pages.ts";

/* Mistakes that only a browser sees, planted in a partner's page around the real checkout. */

interface Stage {
  readonly origin: TestOrigin;
  readonly tenant: Tenant;
  readonly url: string;
}

const test = base.extend<{ readonly stage: Stage }>({
  stage: async ({ page: _page }, use) => {
    const origin = await openTestOrigin();
    const tenant = await createTenant([origin.origin]);
    await use({ origin, tenant, url: await createCheckoutUrl(tenant, newPatient()) });
    await origin.close();
  },
});

const widgetOrigin = () => new URL(productUrls().widgetHostUrl).origin;

const withKit = (body: string, url: string, mounts = 1) => `<!doctype html><html lang="es-CL"><title>Pago</title>
${body}
<script type="module">
  import { mountCheckout } from "${widgetOrigin()}/embed/v1.js";
  for (const element of [...document.querySelectorAll(".checkout")].slice(0, ${mounts}))
    mountCheckout(element, { url: "${url}" });
</script></html>`;

const ELEMENT = '<div class="checkout"></div>';
const framed = (url: string, attributes: string) =>
  `<!doctype html><html lang="es-CL"><title>Pago</title><iframe src="${url}" style="width:480px;height:900px" ${attributes}></iframe></html>`;

interface Planted {
  readonly html: (url: string) => string;
  /** What the finding also says. */
  readonly words?: string;
  /** The element that opens the checkout. */
  readonly click?: string;
}

/** The first word is the id of the expected finding. */
const PLANTED: Readonly<Record<string, Planted>> = {
  frame_ready: { html: (url) => withKit(ELEMENT, url) },
  "frame_ready after a click": {
    html: (url) =>
      `<!doctype html><html lang="es-CL"><title>Pago</title><button id="pay">Pagar</button>${ELEMENT}<script type="module">
        import { mountCheckout } from "${widgetOrigin()}/embed/v1.js";
        document.querySelector("#pay").addEventListener("click", () =>
          mountCheckout(document.querySelector(".checkout"), { url: "${url}" }));
      </script></html>`,
    click: "#pay",
  },
  "frame_missing after a refused request": {
    html: () =>
      `<!doctype html><html lang="es-CL"><title>Pago</title>${ELEMENT}<script type="module">
        import { mountCheckout } from "${widgetOrigin()}/embed/v1.js";
        const { url } = await (await fetch("/checkout?rut=40100000-3", { method: "POST" })).json();
        mountCheckout(document.querySelector(".checkout"), { url });
      </script></html>`,
    words: "/checkout answered 404",
  },
  frame_hidden: { html: (url) => withKit(`<div style="display:none">${ELEMENT}</div>`, url) },
  frame_clipped: { html: (url) => withKit(`<div id="box" style="height:200px;overflow:hidden">${ELEMENT}</div>`, url) },
  mounted_twice: { html: (url) => withKit(ELEMENT + ELEMENT, url, 2) },
  frame_sandbox: { html: (url) => framed(url, 'sandbox="allow-scripts"') },
  token_unknown: {
    html: (url) => withKit(ELEMENT, url.replace(/widget_token=[^&]*/, `widget_token=${crypto.randomUUID()}`)),
  },
  frame_removed: {
    html: (url) =>
      `<!doctype html><html lang="es-CL"><title>Pago</title><div id="root">${ELEMENT}</div><script type="module">
        import { mountCheckout } from "${widgetOrigin()}/embed/v1.js";
        const checkout = mountCheckout(document.querySelector(".checkout"), { url: "${url}" });
        setTimeout(() => checkout.destroy(), 0);
      </script></html>`,
  },
};

for (const [name, { html, click, words = "" }] of Object.entries(PLANTED)) {
  const [id = name] = name.split(" ");
  test(`doctor reports ${name} of a page in a browser`, short("partner"), async ({ browser, stage }) => {
    test.slow();
    const page = stage.origin.put("/pay", { html: html(stage.url) });
    const { orderApiUrl, spotApiUrl, widgetHostUrl } = productUrls();
    const keys = {
      provider: { id: "", name: "", rut: "" },
      credentials: stage.tenant.credentials,
      addresses: { order_api: orderApiUrl, spot_api: spotApiUrl, widget_host: widgetHostUrl },
      ends_at: "",
    };
    const report = await examine(keys, { page, word: "Service", browser, click });
    // A page without a policy has a separate warning, which unit tests cover.
    const others = report.findings.filter(({ verdict, id: one }) => verdict !== "fine" && one !== "policy_missing");
    expect(others.map((finding) => finding.id)).toEqual(id === "frame_ready" ? [] : [id]);
    expect(report.findings.find((finding) => finding.id === id)?.words).toContain(words);
  });
}
