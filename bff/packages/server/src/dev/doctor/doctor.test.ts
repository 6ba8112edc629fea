import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { variablesOf } from "../keys.ts";
import { type Finding, reportLines, reportOf } from "./finding.ts";
import { judgePage, type SeenPage } from "./page.ts";
import { keysToExamine } from "./variables.ts";
import { judgeView, type SeenFrame, type SeenView } from "./view.ts";
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
    [
      "a policy in the page's head without the frame",
      { html: `${good.html}<meta http-equiv="Content-Security-Policy" content="frame-src 'self'">` },
      "mistake policy_frame",
    ],
    [
      "a policy that puts the page into a sandbox",
      policy(`sandbox allow-scripts; ${allowed}`),
      "mistake policy_sandbox",
    ],
    [
      "a frame whose sandbox takes its origin",
      { html: `<iframe sandbox="allow-scripts" src="${HOST}/?x"></iframe>` },
      "mistake frame_sandbox",
    ],
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

  it("finds no secret in a correct page when variables of secrets are not set", () => {
    const unset = { ...keys, credentials: { ...credentials, secret_key: "", webhook_secret: "" } };
    expect(found(judgePage(good, unset))).toEqual([]);
    const leak = { ...good, ...script(`const k="${credentials.client_secret}"`) };
    expect(found(judgePage(leak, unset))).toEqual(["mistake secret_in_page"]);
  });

  it("does not report the origin as wrong when the service was unavailable", () => {
    const findings = judgePage({ ...good, isOriginRegistered: null }, keys);
    expect(findings.filter(({ id }) => id.startsWith("origin_"))).toEqual([]);
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
const escaped = (text: string) => text.replaceAll("ñ", "\\u00f1");
/** `json.dumps(json.loads(body))` of the test's event. */
const pythonJson = (body: string) => escaped(body.replaceAll(/(?<=["\d}\]]),/g, ", ").replaceAll(/":/g, '": '));
/** `json_encode(json_decode($body))` of the same. */
const phpJson = (body: string) => escaped(body).replaceAll("/", "\\/");
const right = ({ body, headers }: Probe) => headers[HEADER] === mac(body, credentials.webhook_secret);

describe("the doctor's check of a webhook receiver", () => {
  const event = {
    event_id: "e1",
    event: "order.paid",
    reference: "niñez/1",
    data: { order: { total_amount: 45_952, items: [], tags: ["a", "b"] } },
  };
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
    ["answers 404 to POST", () => 404, "mistake webhook_path"],
    ["fails", () => 500, "mistake webhook_fails"],
    ["has a small limit for bodies", () => 413, "mistake webhook_body_limit"],
    ["takes no JSON", () => 415, "mistake webhook_content_type"],
    ["expects a token of a form", () => 419, "mistake webhook_csrf"],
    [
      "checks over an empty body, which a parser has taken",
      ({ headers }) => status(headers[HEADER] === mac("", credentials.webhook_secret)),
      "mistake webhook_parsed_body",
    ],
    [
      "checks over the JSON that Python writes",
      ({ headers, body }) => status(headers[HEADER] === mac(pythonJson(body), credentials.webhook_secret)),
      "mistake webhook_parsed_body",
    ],
    [
      "checks over the JSON that PHP writes",
      ({ headers, body }) => status(headers[HEADER] === mac(phpJson(body), credentials.webhook_secret)),
      "mistake webhook_parsed_body",
    ],
    [
      "checks with an unknown secret",
      ({ headers, body }) => status(headers[HEADER] === mac(body, "whsec_of_another_endpoint")),
      "mistake webhook_other_secret",
    ],
    ["refuses every body", () => 400, "mistake webhook_refused"],
    [
      "refuses kinds that it does not know",
      (probe) => (probe.body.includes("newer_than") ? 422 : status(right(probe))),
      "mistake webhook_unknown_kind",
    ],
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
    [
      "a repeat is refused",
      (probe, times) => (times < 1 || probe.body.includes("newer_than") ? status(right(probe)) : 409),
      "mistake webhook_repeat",
    ],
  ])("reports that it %s", async (_what, receive, expected) => {
    expect(found(await judge(receive))).toEqual([expected]);
  });

  it.each<[string, ProbeAnswer, string, string]>([
    ["answers after eleven seconds", { status: null, ms: 10_000, isLate: true }, "mistake webhook_late", "204"],
    [
      "redirects",
      { status: 308, ms: 5, location: "https://clinic.example/webhooks/" },
      "mistake webhook_redirect",
      "https://clinic.example/webhooks/",
    ],
    ["is Django's", { status: 403, ms: 5, text: "CSRF verification failed." }, "mistake webhook_csrf", "csrf_exempt"],
  ])("reports that it %s, and the line to change", async (_what, answer, expected, change) => {
    const findings = await judgeWebhook(() => Promise.resolve(answer), event, { credentials, word: "Service" });
    expect(found(findings)).toEqual([expected]);
    expect(findings.at(-1)?.change).toContain(change);
  });

  it("reports a slow receiver", async () => {
    expect(found(await judge((probe) => status(right(probe)), 6_000))).toEqual(["warning webhook_slow"]);
  });
});

describe("the doctor's view of the page in a browser", () => {
  const frame: SeenFrame = {
    token: "t1",
    sandbox: null,
    width: 480,
    height: 700,
    hiddenBy: null,
    clippedBy: null,
    visibleHeight: 700,
    visibleWidth: 480,
    state: "ready",
  };
  const seen: SeenView = { frames: [frame], framesRemoved: 0, announced: true, errors: [], isReact: false };
  const judge = (view: Partial<SeenView>, status = 200) =>
    judgeView({ ...seen, ...view }, () => Promise.resolve(status));
  const framed = (plant: Partial<SeenFrame>) => ({ frames: [{ ...frame, ...plant }] });

  it("finds nothing wrong with a visible checkout, mounted by the kit or in a plain iframe", async () => {
    expect(found(await judge({}))).toEqual([]);
    expect(found(await judge(framed({ state: null })))).toEqual([]);
  });

  it.each<[string, Partial<SeenView>, number, string, string]>([
    ["hidden", framed({ hiddenBy: "div#pay" }), 200, "mistake frame_hidden", "div#pay"],
    ["without size", framed({ height: 0 }), 200, "mistake frame_hidden", "elements around"],
    [
      "clipped at 200 px",
      framed({ clippedBy: "section.card", visibleHeight: 200 }),
      200,
      "mistake frame_clipped",
      "section.card",
    ],
    ["in a sandbox", framed({ sandbox: "allow-scripts" }), 200, "mistake frame_sandbox", "sandbox"],
    ["narrow", framed({ width: 200 }), 200, "warning frame_narrow", "280"],
    ["mounted twice", { frames: [frame, frame] }, 200, "mistake mounted_twice", "Mount it once"],
    ["of an expired link", {}, 410, "mistake token_expired", "requestToken"],
    ["of an unknown link", {}, 404, "mistake token_unknown", "POST /api/spot/widget"],
    ["without a token", framed({ token: null }), 200, "mistake frame_without_token", "unchanged"],
    [
      "that does not start",
      { ...framed({ state: null }), announced: false },
      200,
      "mistake frame_not_ready",
      "Embedder-Policy",
    ],
    ["that the kit gave up", framed({ state: "failed" }), 200, "mistake frame_not_ready", "blocker"],
    ["not there", { frames: [], errors: ["TypeError: x"] }, 200, "mistake frame_missing", "mountCheckout"],
    ["taken away again", { frames: [], framesRemoved: 1 }, 200, "mistake frame_removed", "Keep the element"],
    [
      "taken away by StrictMode",
      { frames: [], framesRemoved: 1, isReact: true },
      200,
      "mistake frame_removed",
      "StrictMode",
    ],
  ])("names a checkout %s, and the line to change", async (_what, view, status, expected, change) => {
    const findings = await judge(view, status);
    expect(found(findings)).toEqual([expected]);
    expect(findings.find(({ verdict }) => verdict !== "fine")?.change).toContain(change);
  });

  it("shows the browser's own report of missing parts", async () => {
    const [finding] = await judge({ frames: [], errors: ["content security policy: frame-src forbids https://x"] });
    expect(finding?.words).toContain("frame-src forbids");
  });
});

describe("the keys that the doctor examines", () => {
  const addresses = { order_api: "https://order.example", spot_api: "https://spot.example", widget_host: HOST };
  const kept = { credentials, addresses, provider: { id: "p", name: "", rut: "" }, ends_at: "2027-01-01T00:00:00Z" };
  const variables = variablesOf(kept);
  const judge = (plant: Record<string, string | undefined>) =>
    keysToExamine(kept, { ...variables, ...plant })?.findings;

  it("are read from the folder if no variable is set, and from the variables if both agree", () => {
    expect(keysToExamine(kept, { PATH: "/bin" })).toEqual({ keys: kept, findings: [] });
    expect(judge({})).toEqual([]);
    expect(keysToExamine(null, {})).toBeNull();
  });

  it.each<[string, Record<string, string | undefined>, string]>([
    ["another provider's variables beside .aapd/", { PUBLIC_KEY: "PK_2" }, "mistake keys_differ"],
    ["an undefined secret", { CLIENT_SECRET: undefined }, "mistake variable_missing"],
    ["a secret that became a text", { CLIENT_SECRET: "undefined" }, "mistake variable_missing"],
    ["an empty webhook secret", { WEBHOOK_SECRET: "" }, "mistake variable_missing"],
  ])("name %s", (_what, plant, expected) => {
    const findings = judge(plant) ?? [];
    expect(found(findings)).toEqual([expected]);
    expect(findings[0]?.change).toContain("aapd-dev env");
  });

  it.each([
    ["SECRET_KEY", {}],
    ["WIDGET_HOST", { page: "https://clinic.example/pay" }],
    ["WEBHOOK_SECRET", { webhook: "https://clinic.example/webhooks" }],
  ])("include a finding for a missing %s only if a requested check reads it", (name, requested) => {
    const { [name]: _, ...rest } = variables;
    const examined = keysToExamine(null, rest, requested);
    expect(found(examined?.findings ?? [])).toEqual(["mistake variable_missing"]);
    expect(examined?.findings[0]?.words).toMatch(new RegExp(`^${name} is not set`));
    expect(variablesOf(examined?.keys ?? kept)[name]).toBe("");
  });

  it("report no missing variable that no requested check reads", () => {
    const { WIDGET_HOST, WEBHOOK_SECRET, CLIENT_ID, PROVIDER_ID, ...rest } = variables;
    expect(keysToExamine(null, rest)?.findings).toEqual([]);
  });

  it("take a missing value from the folder only if the set variables agree with the folder", () => {
    const { SECRET_KEY, ...rest } = variables;
    expect(keysToExamine(kept, rest)?.keys.credentials.secret_key).toBe(SECRET_KEY);
    expect(keysToExamine(kept, { ...rest, PUBLIC_KEY: "PK_2" })?.keys.credentials.secret_key).toBe("");
  });
});

describe("the report", () => {
  it("has a score that falls with each finding, and the line to change below each", () => {
    const report = reportOf(judgePage({ ...good, isOriginRegistered: false, headers: {} }, keys));
    expect(report.score).toBe(80);
    expect(reportLines(report).join("\n")).toContain("--origin https://clinic.example");
  });
});
