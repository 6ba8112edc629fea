import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type Finding, reportLines, reportOf } from "./finding.ts";
import { judgePage, type SeenPage } from "./page.ts";
import { judgeWebhook, type Probe, type ProbeAnswer } from "./webhook.ts";

const HOST = "https://checkout.example";
const HASH = "sha384-right";
const credentials = {
  client_secret: "cs_client-secret-of-the-test",
  client_id: "ci_1",
  public_key: "PK_1",
  webhook_secret: "whsec_d2ViaG9vay1zZWNyZXQ",
  secret_key: "ak_secret-key-of-the-test-0",
};
const keys = { credentials, addresses: { order_api: "", spot_api: "", widget_host: HOST } };

const good: SeenPage = {
  url: "https://clinic.example/pay",
  status: 200,
  headers: { "content-security-policy": `default-src 'self'; script-src 'self' ${HOST}; frame-src ${HOST}` },
  html: `<script type="module" src="${HOST}/embed/0.2.0.js" integrity="${HASH}" crossorigin></script>`,
  scripts: [{ url: "https://clinic.example/pay.js", text: 'fetch("/checkout")' }],
  kit: { "v1.js": "sha384-current", "0.2.0.js": HASH },
  isOriginRegistered: true,
};
const policy = (text: string) => ({ headers: { "content-security-policy": text } });
const script = (text: string) => ({ scripts: [{ url: "https://clinic.example/pay.js", text }] });
const allowed = `script-src 'self' ${HOST}; frame-src ${HOST}`;

const found = (findings: readonly Finding[]) =>
  findings.filter(({ verdict }) => verdict !== "fine").map(({ id, verdict }) => `${verdict} ${id}`);

describe("the doctor's check of a page", () => {
  it("finds nothing wrong with a correct page, and scores it 100", () => {
    const findings = judgePage(good, keys);
    expect(found(findings)).toEqual([]);
    expect(reportOf(findings).score).toBe(100);
  });

  it.each<[string, Partial<SeenPage>, string]>([
    ["a page that is not there", { status: 404 }, "mistake page_not_there"],
    ["a page without TLS", { url: "http://clinic.example/pay" }, "mistake page_not_secure"],
    ["an origin that is not registered", { isOriginRegistered: false }, "mistake origin_not_registered"],
    [
      "a policy that keeps frames of others out",
      { headers: { ...good.headers, "cross-origin-embedder-policy": "require-corp" } },
      "mistake embedder_policy",
    ],
    ["no policy", { headers: {} }, "warning policy_missing"],
    ["a policy without the kit's script", policy(`script-src 'self'; frame-src ${HOST}`), "mistake policy_script"],
    ["a policy without the frame", policy(`default-src 'self'; script-src 'self' ${HOST}`), "mistake policy_frame"],
    [
      "a policy that lets anybody's script run",
      policy(`${allowed} ; script-src 'unsafe-inline' ${HOST}`.replace(`script-src 'self' ${HOST}; `, "")),
      "warning policy_unsafe",
    ],
    ["no kit", { html: "<main></main>" }, "mistake kit_missing"],
    ["a kit that there is not", { html: good.html.replace("0.2.0", "9.9.9") }, "mistake kit_version"],
    [
      "a pinned kit without its hash",
      { html: good.html.replace(/ integrity="[^"]*"/, "") },
      "warning kit_without_hash",
    ],
    ["a wrong hash", { html: good.html.replace(HASH, "sha384-wrong") }, "mistake kit_hash"],
    [
      "a hash of the kit that is kept current",
      { html: good.html.replace("0.2.0", "v1") },
      "mistake kit_hash_of_current",
    ],
    ["a copy of the kit", script('customElements.define("aapd-checkout", X)'), "mistake kit_copied"],
    ["a frame of a fixed height", { html: `<iframe src="${HOST}/?x" height="600"></iframe>` }, "mistake frame_height"],
    [
      "a secret of the partner's in a script",
      script(`const k="${credentials.client_secret}"`),
      "mistake secret_in_page",
    ],
    [
      "another secret in the page",
      { html: `${good.html}<!-- whsec_aGVsbG8td29ybGQtMTIz -->` },
      "mistake secret_in_page",
    ],
    ["tokens minted in the browser", script(`fetch(api + "/api/spot/widget")`), "mistake mint_in_page"],
  ])("names %s, and the line to change", (_what, plant, expected) => {
    const findings = judgePage({ ...good, ...plant }, keys);
    expect(found(findings)).toEqual([expected]);
    expect(findings.find(({ verdict }) => verdict !== "fine")?.change).not.toBeNull();
    expect(JSON.stringify(findings)).not.toContain(credentials.client_secret);
  });

  it("accepts the package, an import of the kit, and strict-dynamic", () => {
    for (const page of [
      { ...good, html: "", ...script('policy = createPolicy("aapd-embed")') },
      { ...good, html: "", ...script(`import { mountCheckout } from "${HOST}/embed/v1.js"`) },
      { ...good, ...script("words of the page: `POST /api/spot/widget`") },
      { ...good, ...policy(`script-src 'nonce-a' 'strict-dynamic'; frame-src https:`) },
    ])
      expect(found(judgePage(page, keys))).toEqual([]);
  });
});

const HEADER = "X-Service-Signature";
const mac = (body: string, secret: string) => `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
const right = ({ body, headers }: Probe) => headers[HEADER] === mac(body, credentials.webhook_secret);

describe("the doctor's check of a webhook receiver", () => {
  const event = { event_id: "e1", event: "order.paid", data: { order: { total_amount: 45_952 } } };
  const judge = (receive: (probe: Probe, times: number) => number | null, ms = 10) => {
    let times = 0;
    const send = (probe: Probe): Promise<ProbeAnswer> => Promise.resolve({ status: receive(probe, times++), ms });
    return judgeWebhook(send, event, { credentials, word: "Service" });
  };
  const status = (isTaken: boolean) => (isTaken ? 204 : 401);

  it("finds nothing wrong with a receiver that follows the guide", async () => {
    expect(found(await judge((probe) => status(right(probe))))).toEqual([]);
  });

  it.each<[string, (probe: Probe, times: number) => number | null, string]>([
    ["nobody answers", () => null, "mistake webhook_unreachable"],
    ["nobody takes POST there", () => 404, "mistake webhook_refused"],
    ["everything is taken", () => 204, "mistake webhook_unsigned"],
    ["any signature is taken", ({ headers }) => status(HEADER in headers), "mistake webhook_not_checked"],
    [
      "the body is parsed and written again before the check",
      (probe) => status(right({ ...probe, body: JSON.stringify(JSON.parse(probe.body)) })),
      "mistake webhook_parsed_body",
    ],
    [
      "another secret is used",
      ({ body, headers }) => status(headers[HEADER] === mac(body, credentials.client_secret)),
      "mistake webhook_secret",
    ],
    [
      "the secret is used without its beginning",
      ({ body, headers }) => status(headers[HEADER] === mac(body, credentials.webhook_secret.slice(6))),
      "mistake webhook_secret",
    ],
    [
      "another header is read",
      ({ body, headers }) => status(headers["X-Hub-Signature-256"] === mac(body, credentials.webhook_secret)),
      "mistake webhook_header",
    ],
    [
      "the scheme is not expected",
      ({ body, headers }) => status(`sha256=${headers[HEADER]}` === mac(body, credentials.webhook_secret)),
      "mistake webhook_scheme",
    ],
    ["a repeat is refused", (probe, times) => (times < 3 ? status(right(probe)) : 409), "mistake webhook_repeat"],
  ])("reports that it %s", async (_what, receive, expected) => {
    expect(found(await judge(receive))).toEqual([expected]);
  });

  it("names a slow one", async () => {
    expect(found(await judge((probe) => status(right(probe)), 6_000))).toEqual(["warning webhook_slow"]);
  });
});

describe("the report", () => {
  it("has a score that falls with each finding, and the line to change below each", () => {
    const report = reportOf(judgePage({ ...good, isOriginRegistered: false, headers: {} }, keys));
    expect(report.score).toBe(80);
    expect(reportLines(report).join("\n")).toContain("--origin https://clinic.example");
  });
});
