import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "../../../packages/server/src/dev/doctor/browser.ts";
import { examine } from "../../../packages/server/src/dev/doctor/doctor.ts";
import type { SandboxKeys } from "../../../packages/server/src/dev/keys.ts";
import { startBff, type TestBff, type TestProvider } from "../../start-bff.ts";

/* Planted mistakes in credentials and addresses, checked against the real service. */

let bff: TestBff;
let keys: SandboxKeys;
let other: TestProvider;
interface Site {
  readonly url: string;
  readonly close: () => void;
}
let site: Site;
/** The test's service has no built kit, and so no manifest. */
let widgetHost: Site;
beforeAll(async () => {
  bff = await startBff();
  other = await bff.createProvider({ name: "Otra clínica", rut: "77.777.777-7" });
  await cancelledOrder(other);
  [site, widgetHost] = await Promise.all([startSite("<h1>Otra cosa</h1>"), startSite('{"files": {}}')]);
  keys = {
    provider: { ...bff.clinic.provider },
    credentials: bff.clinic.credentials,
    addresses: { order_api: bff.orderApi, spot_api: bff.spotApi, widget_host: widgetHost.url },
    ends_at: "",
  };
});
afterAll(async () => {
  site.close();
  widgetHost.close();
  await bff.close();
});

/** Leaves an event in the provider's log. */
async function cancelledOrder({ credentials }: TestProvider): Promise<void> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${credentials.client_secret}` };
  const customer = {
    rut: "40.100.000-3",
    first_name: "Camila",
    last_name: "Rojas",
    email: "camila@example.com",
    phone_number: "+56912345678",
  };
  const body = JSON.stringify({ reference: "r", total_amount: 45_952, customer });
  const made = await fetch(`${bff.orderApi}/orders`, { method: "POST", headers, body });
  const { hash } = JSON.parse(await made.text());
  const cancelled = await fetch(`${bff.orderApi}/orders/${hash}/cancel`, { method: "POST", headers, body: "{}" });
  expect(cancelled.status).toBe(200);
}

async function startSite(text: string): Promise<Site> {
  const server = createServer((_request, response) => response.end(text));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

type Plant = {
  readonly credentials?: Partial<SandboxKeys["credentials"]>;
  readonly addresses?: Partial<SandboxKeys["addresses"]>;
  readonly provider?: SandboxKeys["provider"];
  readonly ends_at?: string;
};

function planted({ credentials, addresses, ...rest }: Plant): SandboxKeys {
  return {
    ...keys,
    ...rest,
    credentials: { ...keys.credentials, ...credentials },
    addresses: { ...keys.addresses, ...addresses },
  };
}

async function examined(plant: Plant = {}) {
  const { findings } = await examine(planted(plant), { word: "Service" });
  return findings.filter(({ verdict }) => verdict !== "fine");
}

async function mintedTokens(): Promise<number> {
  return (await bff.database.db.selectFrom("widget_tokens").select("id").execute()).length;
}

describe("the doctor's check of keys and addresses", () => {
  it("finds no fault in correct ones, and mints no widget token", async () => {
    const before = await mintedTokens();
    const { findings } = await examine(keys, { word: "Service" });
    expect(findings.filter(({ verdict }) => verdict !== "fine")).toEqual([]);
    expect(findings.map(({ id }) => id)).toContain("one_provider");
    expect(await mintedTokens()).toBe(before);
  });

  it("names an origin as registered or not, and mints no widget token", async () => {
    const before = await mintedTokens();
    const clinic = await bff.createProvider({ origins: [site.url] });
    const own = planted({ provider: clinic.provider, credentials: clinic.credentials });
    const requested = { word: "Service", page: `${site.url}/pay`, mayPay: false };
    const idsOf = async (given: SandboxKeys, browser?: Browser) =>
      (await examine(given, { ...requested, browser })).findings.map(({ id }) => id);
    expect(await idsOf(own)).toContain("origin_registered");
    // Where the checkout is refused, a browser would only report the consequence.
    const browser = { newPage: () => Promise.reject(new Error("The page was opened.")) };
    expect(await idsOf(keys, browser)).toContain("origin_not_registered");
    expect(await mintedTokens()).toBe(before);
  });

  it("examines the page without SECRET_KEY, and names the omitted checks", async () => {
    const requested = { word: "Service", page: `${site.url}/pay`, webhook: `${site.url}/webhooks`, mayPay: false };
    const report = await examine(planted({ credentials: { secret_key: "" } }), requested);
    const ids = report.findings.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(["public_key_taken", "kit_missing", "secrets"]));
    expect(ids).not.toContain("secret_key_refused");
    expect(report.notExamined).toEqual(
      expect.arrayContaining([
        "The receiver was not examined. Set SECRET_KEY.",
        "The account was not examined. Set SECRET_KEY.",
      ]),
    );
  });

  it("examines the page without PUBLIC_KEY, except its origin", async () => {
    const unset = planted({ credentials: { public_key: "", secret_key: "" } });
    const { findings, notExamined } = await examine(unset, { word: "Service", page: `${site.url}/pay` });
    expect(findings.map(({ id }) => id)).toEqual(expect.arrayContaining(["page_secure", "kit_missing"]));
    expect(notExamined).toContainEqual(expect.stringContaining("origin is registered. Set SPOT_API and PUBLIC_KEY"));
  });

  it("omits the page without WIDGET_HOST", async () => {
    const unset = planted({ addresses: { widget_host: "" } });
    const { findings, notExamined } = await examine(unset, { word: "Service", page: site.url, mayPay: false });
    expect(findings.map(({ verdict }) => verdict)).not.toContain("mistake");
    expect(notExamined).toEqual(["The page was not examined. Set WIDGET_HOST."]);
  });

  it.each<[string, () => Plant, string, string]>([
    [
      "a wrong client_secret",
      () => ({ credentials: { client_secret: `cs_${"x".repeat(43)}` } }),
      "client_secret_refused",
      "CLIENT_SECRET=cs_",
    ],
    [
      "the client_id as client_secret",
      () => ({ credentials: { client_secret: keys.credentials.client_id } }),
      "client_secret_kind",
      "CLIENT_SECRET=cs_",
    ],
    [
      "a quoted client_secret",
      () => ({ credentials: { client_secret: `"${keys.credentials.client_secret}"` } }),
      "client_secret_quoted",
      "bare",
    ],
    ["a wrong public_key", () => ({ credentials: { public_key: "PK_wrong" } }), "public_key_refused", "PUBLIC_KEY=PK_"],
    [
      "another provider's public_key",
      () => ({ credentials: { public_key: other.credentials.public_key, secret_key: other.credentials.secret_key } }),
      "public_key_of_another",
      "PUBLIC_KEY=PK_",
    ],
    [
      "another provider's secret_key",
      () => ({ credentials: { secret_key: other.credentials.secret_key } }),
      "secret_key_refused",
      "SECRET_KEY=ak_",
    ],
    [
      "another provider's client_id",
      () => ({ credentials: { client_id: other.credentials.client_id } }),
      "client_id_refused",
      "CLIENT_ID=ci_",
    ],
    [
      "a cut webhook_secret",
      () => ({ credentials: { webhook_secret: keys.credentials.webhook_secret.slice(0, -3) } }),
      "webhook_secret_kind",
      "WEBHOOK_SECRET=whsec_",
    ],
    [
      "all keys of another environment",
      () => ({ credentials: { client_secret: `cs_${"x".repeat(43)}`, public_key: "PK_wrong" } }),
      "environment",
      "this environment",
    ],
    ["keys that have ended", () => ({ ends_at: "2026-01-01T00:00:00Z" }), "keys_ended", "sandbox --new"],
    [
      "another provider's id",
      () => ({ provider: { id: other.provider.id, name: "", rut: "" } }),
      "provider_id",
      "PROVIDER_ID=",
    ],
    [
      "swapped APIs",
      () => ({ addresses: { order_api: bff.spotApi, spot_api: bff.orderApi } }),
      "addresses_swapped",
      "ORDER_API=",
    ],
    ["another site as ORDER_API", () => ({ addresses: { order_api: site.url } }), "order_api_elsewhere", "ORDER_API="],
    ["another site as SPOT_API", () => ({ addresses: { spot_api: site.url } }), "spot_api_elsewhere", "SPOT_API="],
    [
      "the order API as WIDGET_HOST",
      () => ({ addresses: { widget_host: bff.orderApi } }),
      "widget_host_elsewhere",
      "WIDGET_HOST=",
    ],
    [
      "an ORDER_API that is down",
      () => ({ addresses: { order_api: "http://127.0.0.1:9" } }),
      "order_api_unreachable",
      "ORDER_API",
    ],
    [
      "a SPOT_API with a path",
      () => ({ addresses: { spot_api: `${bff.spotApi}/api` } }),
      "spot_api_path",
      "SPOT_API=http",
    ],
    [
      "an ORDER_API without its scheme",
      () => ({ addresses: { order_api: "order.example" } }),
      "order_api_address",
      "https://",
    ],
  ])("names %s, and the line to change", async (_what, plant, id, change) => {
    const findings = await examined(plant());
    expect(findings.map((finding) => finding.id)).toEqual([id]);
    expect(findings[0]?.change).toContain(change);
    for (const secret of [keys.credentials.client_secret, keys.credentials.secret_key, keys.credentials.webhook_secret])
      expect(JSON.stringify(findings)).not.toContain(secret);
  });
});
