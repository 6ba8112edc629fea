import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { sql } from "kysely";
import { Agent, request } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { orderEndpoints } from "../../src/contract/order-endpoints.ts";
import { spotEndpoints } from "../../src/contract/spot-endpoints.ts";
import { PAGE_MARKERS, PAGE_STATE_ELEMENT_ID, type PageState } from "../../src/contract/widget-page.ts";
import { onWidgetHost } from "../../src/frame/forward.ts";
import { keepWidget, readBuiltWidget, WidgetNotBuilt } from "../../src/frame/open-widget.ts";
import { systemIds } from "../../src/platform/ids.ts";
import { createLogger, silentLogger } from "../../src/platform/logger.ts";
import { setOrigins } from "../../src/tenants/manage-provider.ts";
import { startBff, type TestBff, type TestProvider } from "../start-bff.ts";
import { checkoutOf } from "./orders/checkout.ts";

let folder: string;
let bff: TestBff;
const lines: string[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "aapd-built-"));
  await buildWidget(folder);
  const logger = createLogger({ level: "info", destination: { write: (line) => lines.push(line) } });
  bff = await startBff({ widget: { kind: "built", widget: await readBuiltWidget(folder) }, logger });
});
afterAll(async () => {
  await bff.close();
  await rm(folder, { recursive: true, force: true });
});

/** A build like the widget's, with every kind of file. */
async function buildWidget(into: string): Promise<void> {
  for (const name of ["app/assets", "embed", "packages/next", "server"])
    await mkdir(join(into, name), { recursive: true });
  const page = `<!doctype html><html lang="${PAGE_MARKERS.lang}"><head><style>body{margin:0}</style>
    <script type="importmap">{"integrity":{}}</script></head>
    <body><div id="app">${PAGE_MARKERS.html}</div>${PAGE_MARKERS.state}
    ${PAGE_MARKERS.laterStyles}<style>.later{margin:0}</style><script type="module" src="/assets/main.js"></script></body></html>`;
  await writeFile(join(into, "app/index.html"), page);
  await writeFile(join(into, "app/assets/main-a1b2.js"), "export {};");
  await writeFile(join(into, "app/assets/main-a1b2.js.br"), brotliCompressSync("br of a script"));
  await writeFile(join(into, "app/assets/main-a1b2.js.gz"), gzipSync("gzip of a script"));
  await writeFile(join(into, "app/assets/plain-a1b2.js"), "export {};");
  await writeFile(join(into, "embed/v1.js"), "export {};");
  await writeFile(join(into, "embed/0.1.0.js"), "export {};");
  for (const name of ["manifest.json", "tokens.json"]) await writeFile(join(into, "embed", name), "{}");
  for (const name of ["index.json", "aapd-server-0.2.0.tgz", "next/aapd-server-0.2.0.tgz"])
    await writeFile(join(into, "packages", name), "{}");
  const render = `export const renderApp = (state) => "<main>" + ("session" in state ? "session, framed: " + state.framed : state.problem.code) + "</main>";
     export const needsFirstStylesOnly = (state) => "session" in state;
     export const renderStyle = (state) => "session" in state ? ".a{--partner-accent:#123456}" : "";`;
  await writeFile(join(into, "server/render.js"), render);
}

async function mint(provider: TestProvider, body: object = {}): Promise<{ token: string; url: string }> {
  const { body: minted } = await bff.callSpotApi(spotEndpoints.mintWidgetToken, { as: provider, body });
  return { token: minted.widget_token, url: minted.url };
}

async function openPage(url: string, headers: Record<string, string> = {}) {
  const answer = await fetch(url, { headers });
  const html = await answer.text();
  const json = new RegExp(`<script type="application/json" id="${PAGE_STATE_ELEMENT_ID}">(.*?)</script>`, "s").exec(
    html,
  )?.[1];
  const state: PageState = JSON.parse(json ?? "null");
  return { answer, html, state, policy: policyOf(answer.headers.get("content-security-policy") ?? "") };
}

function policyOf(header: string): Record<string, string[]> {
  return Object.fromEntries(
    header.split(";").map((directive) => {
      const [name = "", ...sources] = directive.trim().split(/\s+/);
      return [name, sources];
    }),
  );
}

/** All rows of all tables as text, except rate limit counters. */
async function wholeDatabase(): Promise<string> {
  const { db } = bff.database;
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = current_schema() and table_name <> 'rate_limits' order by 1`.execute(
    db,
  );
  const contents: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql<{ all: string }>`
      select coalesce(jsonb_agg(to_jsonb(t) order by t::text), '[]')::text as all from ${sql.table(name)} t`.execute(
      db,
    );
    contents.push(`${name} ${rows[0]?.all}`);
  }
  return contents.join("\n");
}

describe("reading a page", () => {
  it.each([
    ["opened", "", { "Sec-Purpose": "none" }, false],
    ["read by a link preview", "", { "User-Agent": "WhatsApp/2.24" }, false],
    ["prefetched", "", { "Sec-Purpose": "prefetch" }, true],
    ["prerendered", "", { "Sec-Purpose": "prefetch;prerender" }, true],
    ["preloaded in a hidden frame", "&preload=1", { "Sec-Fetch-Dest": "iframe" }, true],
  ])(
    "records nothing when %s or data is read; only the page's own report is recorded",
    async (_how, query, headers, isUnseen) => {
      const { body: order } = await checkoutOf(bff).create();
      const { token, url } = await mint(bff.clinic, { order_token: order.hash });
      // Another page has already loaded the parties' keys.
      await openPage((await mint(bff.clinic)).url);
      const before = await wholeDatabase();
      const { answer, html, state } = await openPage(`${url}${query}`, headers);
      expect(answer.headers.get("supports-loading-mode")).toBe("credentialed-prerender");
      expect(html).toContain("<main>session");
      expect([state.unseen, "session" in state && state.session.order_token]).toEqual([isUnseen, order.hash]);
      await bff.callWidgetHost(spotEndpoints.readWidgetToken, { params: { token } });
      for (const endpoint of [orderEndpoints.getOrder, orderEndpoints.readAgreement, orderEndpoints.printAgreement]) {
        const reading = { as: bff.clinic, using: "client_id", params: { hash: order.hash } } as const;
        expect((await bff.callWidgetHost(endpoint, reading)).status).toBe(200);
      }
      expect(await wholeDatabase()).toBe(before);
      await bff.callSpotApi(spotEndpoints.reportShown, { as: bff.clinic, body: { widget_token: token } });
      expect(await wholeDatabase()).not.toBe(before);
    },
  );
});

describe("the page of a token", () => {
  it("shows its session, rendered and as state, and is not cached", async () => {
    const { url } = await mint(bff.clinic);
    const { answer, html, state } = await openPage(url);
    expect(answer.status).toBe(200);
    expect(html).toContain("<main>session");
    expect(html).toContain('<html lang="es-CL">');
    expect("session" in state && state.session.provider.name).toBe("Clínica Los Aromos del Sur SpA");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
    expect(answer.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
    expect(answer.headers.get("x-frame-options")).toBeNull();
  });

  it("names everything that it loads, with hashes for inline parts", async () => {
    const { url } = await mint(bff.clinic);
    const { policy, answer } = await openPage(url);
    expect(policy["default-src"]).toEqual(["'none'"]);
    expect(policy["script-src"]).toEqual(["'self'", expect.stringMatching(/^'sha256-/)]);
    expect(policy["style-src"]).toEqual([
      "'self'",
      expect.stringMatching(/^'sha256-/),
      expect.stringMatching(/^'sha256-/),
      expect.stringMatching(/^'sha256-/),
    ]);
    expect(policy["connect-src"]).toEqual(["'self'"]);
    expect(policy["frame-src"]).toEqual([bff.sandboxGateways, `${bff.widgetHost}/return/`]);
    expect(policy["form-action"]).toEqual(["'none'"]);
    expect(policy["base-uri"]).toEqual(["'none'"]);
    expect(policy["require-trusted-types-for"]).toEqual(["'script'"]);
    expect(policy["trusted-types"]).toEqual(["'none'"]);
    expect(policy["report-uri"]).toEqual([`${bff.widgetHost}/csp-reports`]);
    expect(policy["report-to"]).toEqual(["csp"]);
    expect(answer.headers.get("reporting-endpoints")).toBe(`csp="${bff.widgetHost}/csp-reports"`);
  });

  it("is framable by exactly the token's origins", async () => {
    const provider = await bff.createProvider({ origins: ["https://a.example", "https://b.example"] });
    const all = await openPage((await mint(provider)).url);
    expect(all.policy["frame-ancestors"]).toEqual(["https://a.example", "https://b.example"]);
    const one = await openPage((await mint(provider, { parent_origin: "https://b.example" })).url);
    expect(one.policy["frame-ancestors"]).toEqual(["https://b.example"]);
  });

  it.each([
    ["names it", { parent_origin: "https://b.example" }, ["'none'"], []],
    ["names none", {}, ["https://a.example"], ["https://a.example"]],
  ])("is no longer framable by an origin that was removed from the provider, if its token %s", async (...given) => {
    const [, body, ancestors, spokenTo] = given;
    const provider = await bff.createProvider({ origins: ["https://a.example", "https://b.example"] });
    const { url } = await mint(provider, { ...body, long_term_token: true });
    const operating = {
      ...bff.database,
      clock: bff.clock,
      ids: systemIds,
      environment: "staging",
      actor: "operator:ana",
    } as const;
    await setOrigins(operating, provider.provider.id, ["https://a.example"]);
    const taken = await openPage(url);
    expect(taken.policy["frame-ancestors"]).toEqual(ancestors);
    expect(taken.state).toMatchObject({ session: { parent_origins: spokenTo } });
    await bff.advance(30 * 24 * 60 * 60_000);
    const ended = await openPage(url);
    expect(ended.policy["frame-ancestors"]).toEqual(ancestors);
    expect(ended.state).toMatchObject({ problem: { code: "widget_token_expired", parent_origins: spokenTo } });
  });

  it.each([
    ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
    ["gzip, deflate", "gzip", gunzipSync],
  ])("is compressed for a browser that accepts %s", async (accepted, encoding, decompress) => {
    const { url } = await mint(bff.clinic);
    const answer = await request(url, { headers: { "accept-encoding": accepted } });
    expect(answer.headers["content-encoding"]).toBe(encoding);
    expect(answer.headers.vary).toContain("Accept-Encoding");
    expect(decompress(await answer.body.bytes()).toString()).toContain("<main>session");
  });

  it("has the styles of later screens after its first one, and before any other", async () => {
    const later = "<style>.later{margin:0}</style>";
    const { url } = await mint(bff.clinic);
    const first = await openPage(url);
    expect(first.html.split(later)).toHaveLength(2);
    expect(first.html.indexOf(later)).toBeGreaterThan(first.html.indexOf("</main>"));
    const other = await openPage(`${bff.widgetHost}/?widget_token=x`);
    expect(other.html).toContain(`${later}</head>`);
    expect(other.html.split(later)).toHaveLength(2);
  });

  it("is rendered with a framed page's look if a frame requests it", async () => {
    const { url } = await mint(bff.clinic);
    for (const [destination, framed] of [
      ["iframe", true],
      ["document", false],
    ] as const) {
      const { html, state } = await openPage(url, { "sec-fetch-dest": destination });
      expect(html).toContain(`<main>session, framed: ${framed}</main>`);
      expect(state.framed).toBe(framed);
    }
  });

  it("has the provider's colour, allowed by a hash", async () => {
    const { url } = await mint(bff.clinic);
    const { html, policy } = await openPage(url);
    expect(html).toContain("<style>.a{--partner-accent:#123456}</style></head>");
    const hash = createHash("sha256").update(".a{--partner-accent:#123456}").digest("base64");
    expect(policy["style-src"]).toContain(`'sha256-${hash}'`);
  });

  it("opens for an unknown token too, framable by the provider of the public key", async () => {
    const url = `${bff.widgetHost}/?widget_token=x&public_key=${bff.clinic.credentials.public_key}`;
    const { answer, html, state, policy } = await openPage(url);
    expect(answer.status).toBe(200);
    expect(html).toContain("<main>widget_token_not_found</main>");
    expect("problem" in state && state.problem.code).toBe("widget_token_not_found");
    expect(policy["frame-ancestors"]).toEqual(["https://losaromos.example.com"]);
  });

  it("says that an ended token has ended", async () => {
    const { url } = await mint(bff.clinic, { expires_in_minutes: 15 });
    await bff.advance(15 * 60_000);
    const { state, policy } = await openPage(url);
    expect("problem" in state && state.problem.code).toBe("widget_token_expired");
    expect(policy["frame-ancestors"]).toEqual(["https://losaromos.example.com"]);
  });

  it.each([
    "",
    "?widget_token=a&widget_token=b",
    "?public_key=x&public_key=y",
    "?public_key=a%00b",
    "?public_key=PK_%00",
    `?widget_token=${"x".repeat(5_000)}`,
  ])("cannot be framed without a usable address (%#)", async (query) => {
    const { answer, policy } = await openPage(`${bff.widgetHost}/${query}`);
    expect(answer.status).toBe(200);
    expect(policy["frame-ancestors"]).toEqual(["'none'"]);
  });

  it("no log line holds a token or a key", async () => {
    const { token, url } = await mint(bff.clinic);
    await openPage(url);
    expect(lines.join("")).not.toContain(token);
    expect(lines.join("")).not.toContain(bff.clinic.credentials.public_key);
  });
});

describe("files", () => {
  it("never change under their names if they are the widget's", async () => {
    const answer = await fetch(`${bff.widgetHost}/assets/main-a1b2.js`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toContain("javascript");
    expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  });

  it.each([
    ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
    ["gzip, deflate", "gzip", gunzipSync],
  ])("are sent as the build compressed them, to a browser that accepts %s", async (accepted, encoding, decompress) => {
    const answer = await request(`${bff.widgetHost}/assets/main-a1b2.js`, { headers: { "accept-encoding": accepted } });
    expect(answer.headers["content-encoding"]).toBe(encoding);
    expect(answer.headers["content-type"]).toContain("javascript");
    expect(answer.headers.vary).toContain("Accept-Encoding");
    expect(answer.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    expect(decompress(await answer.body.bytes()).toString()).toBe(`${encoding} of a script`);
  });

  it.each(["main-a1b2.js", "plain-a1b2.js"])(
    "are sent uncompressed to a browser that accepts nothing else: %s",
    async (name) => {
      const answer = await request(`${bff.widgetHost}/assets/${name}`, { headers: { "accept-encoding": "identity" } });
      expect(answer.headers["content-encoding"]).toBeUndefined();
      expect(await answer.body.text()).toBe("export {};");
    },
  );

  it("are sent unchanged if they were not compressed", async () => {
    const answer = await request(`${bff.widgetHost}/assets/plain-a1b2.js`, { headers: { "accept-encoding": "br" } });
    expect(answer.headers["content-encoding"]).toBeUndefined();
    expect(await answer.body.text()).toBe("export {};");
  });

  it.each([
    ["v1.js", "public, max-age=300", "text/javascript"],
    ["0.1.0.js", "public, max-age=31536000, immutable", "text/javascript"],
    ["manifest.json", "no-cache", "application/json"],
    ["tokens.json", "no-cache", "application/json"],
  ])("may be loaded by any page if they belong to the embed kit: %s", async (name, caching, type) => {
    const answer = await fetch(`${bff.widgetHost}/embed/${name}`, { headers: { origin: "https://any.example" } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
    expect(answer.headers.get("cache-control")).toBe(caching);
    expect(answer.headers.get("content-type")).toMatch(new RegExp(`^${type}`));
  });

  it.each([
    ["aapd-server-0.2.0.tgz", "public, max-age=31536000, immutable"],
    ["next/aapd-server-0.2.0.tgz", "no-cache"],
    ["index.json", "no-cache"],
  ])("are served to package managers if they are packages: %s", async (name, caching) => {
    const answer = await fetch(`${bff.widgetHost}/packages/${name}`);
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, caching]);
  });

  it("are served from shared storage if they belong to another build", async () => {
    const old = await mkdtemp(join(tmpdir(), "aapd-old-build-"));
    await buildWidget(old);
    await writeFile(join(old, "app/assets/old-c3d4.js"), "old");
    await writeFile(join(old, "app/assets/old-c3d4.js.br"), brotliCompressSync("old"));
    await writeFile(join(old, "embed/0.0.9.js"), "old kit");
    await writeFile(join(old, "embed/v0.js"), "changes under its name");
    const logger = silentLogger;
    expect((await fetch(`${bff.widgetHost}/assets/old-c3d4.js`)).status).toBe(404);
    await keepWidget({ kind: "built", widget: await readBuiltWidget(old) }, { files: bff.files, logger });
    await rm(old, { recursive: true });
    const kept = await fetch(`${bff.widgetHost}/assets/old-c3d4.js`);
    expect([kept.status, await kept.text()]).toEqual([200, "old"]);
    expect(kept.headers.get("content-type")).toContain("javascript");
    expect(kept.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(await (await fetch(`${bff.widgetHost}/embed/0.0.9.js`)).text()).toBe("old kit");
    expect((await fetch(`${bff.widgetHost}/embed/v0.js`)).status).toBe(404);
  });

  it.each([
    "/assets/",
    "/assets/../index.html",
    "/assets/%2e%2e/index.html",
    "/assets/..%2f..%2fserver%2frender.js",
    "/server/render.js",
    "/index.html",
    "/embed/.env",
    "/.env",
  ])("%s does not exist", async (path) => {
    expect((await fetch(`${bff.widgetHost}${path}`)).status).toBe(404);
  });

  it("are not served without a complete build", async () => {
    await expect(readBuiltWidget(join(folder, "nothing"))).rejects.toThrow(WidgetNotBuilt);
  });
});

const hash = "5a4f0c1e-0000-4000-8000-000000000001";

describe("the allow-list", () => {
  it("answers the widget's calls, to the patient in Spanish", async () => {
    const getOrder = onWidgetHost(orderEndpoints.getOrder) ?? orderEndpoints.getOrder;
    const answer = await bff.callWidgetHost(getOrder, { as: bff.clinic, using: "client_id", params: { hash } });
    expect(answer.status).toBe(404);
    expect(answer.body.detail.message).toBe("No encontramos esta orden.");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const { token } = await mint(bff.clinic);
    const session = await bff.callWidgetHost(spotEndpoints.readWidgetToken, { params: { token } });
    expect(session.status).toBe(200);
  });

  it("accepts no secret, even where the API would", async () => {
    const answer = await bff.callWidgetHost(orderEndpoints.getOrder, {
      as: bff.clinic,
      using: "client_secret",
      params: { hash },
    });
    expect([answer.status, answer.body.code]).toEqual([401, "invalid_credential"]);
  });

  it.each([
    ["POST", "/orders"],
    ["PUT", `/orders/${hash}/refund`],
    ["POST", `/orders/${hash}/cancel`],
    ["POST", "/api/spot/widget"],
    ["POST", "/api/spot/gastos"],
    ["GET", "/api/spot/is_user_subscribed"],
    ["GET", "/api/profile"],
    ["GET", "/openapi.json"],
    ["GET", "/sandbox/catalogue"],
  ])("%s %s does not exist", async (method, path) => {
    const authorization = `Bearer ${bff.clinic.credentials.client_secret}`;
    const query = `?public_key=${bff.clinic.credentials.public_key}`;
    const answer = await fetch(`${bff.widgetHost}${path}${query}`, { method, headers: { authorization } });
    expect([answer.status, JSON.parse(await answer.text()).code]).toEqual([404, "not_found"]);
  });
});

describe("CSP reports", () => {
  const report = (body: string, type: string) =>
    fetch(`${bff.widgetHost}/csp-reports`, { method: "POST", body, headers: { "content-type": type } });

  it("are counted and logged by directive and origin only, in both forms", async () => {
    lines.length = 0;
    const minted = await bff.callSpotApi(spotEndpoints.mintWidgetToken, { as: bff.clinic, body: {} });
    const { widget_token: token, url: document } = minted.body;
    const legacy = {
      "document-uri": document,
      "effective-directive": "img-src",
      "blocked-uri": "https://evil.example/a?b",
    };
    expect((await report(JSON.stringify({ "csp-report": legacy }), "application/csp-report")).status).toBe(204);
    const modern = {
      type: "csp-violation",
      body: { documentURL: document, effectiveDirective: "script-src-elem", blockedURL: "inline" },
    };
    expect((await report(JSON.stringify([modern]), "application/reports+json")).status).toBe(204);
    const violations = lines.map((line) => JSON.parse(line)).filter(({ event }) => event === "csp.violation");
    expect(violations).toMatchObject([
      { kind: "img-src", address: "https://evil.example", count: 1 },
      { kind: "script-src-elem", address: "inline", count: 1 },
    ]);
    expect(lines.join("")).not.toContain(token);
  });

  it("are ignored if their page has no existing token", async () => {
    lines.length = 0;
    for (const document of ["", bff.widgetHost, `${bff.widgetHost}/?widget_token=${systemIds.uuid()}`]) {
      const legacy = { "document-uri": document, "effective-directive": "img-src", "blocked-uri": "https://a.example" };
      expect((await report(JSON.stringify({ "csp-report": legacy }), "application/csp-report")).status).toBe(204);
    }
    expect(lines.join("")).not.toContain("csp.violation");
  });

  it("are refused if they are unreadable or too long", async () => {
    expect((await report("{", "application/csp-report")).status).toBe(400);
    const long = JSON.stringify({ "csp-report": { "blocked-uri": "x".repeat(20_000) } });
    expect((await report(long, "application/csp-report")).status).toBe(413);
  });
});

describe("a widget host with the APIs elsewhere", () => {
  let api: Server;
  let host: TestBff;
  let elsewhere: NodeJS.ProcessEnv;
  const seen: Array<{ url: string; headers: IncomingHttpHeaders; body: string }> = [];
  let answerWith: (url: string) => { status: number; body: object } | "hang up" = () => ({ status: 200, body: {} });

  beforeAll(async () => {
    api = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        seen.push({ url: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks).toString() });
        const answer = answerWith(request.url ?? "");
        if (answer === "hang up") return request.socket.destroy();
        response.writeHead(answer.status, { "content-type": "application/json", "x-from": "api" });
        return response.end(JSON.stringify(answer.body));
      });
    });
    await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
    elsewhere = { ORDER_API_URL: url, SPOT_API_URL: url, FACES: "widget" };
    host = await startBff({ database: bff.database, environment: elsewhere });
  });
  afterAll(async () => {
    await host.close();
    api.close();
  });

  it("forwards calls unchanged, with the request's id and the caller's address", async () => {
    answerWith = () => ({ status: 409, body: { detail: "x", code: "RUT_OTHER_EMAIL" } });
    const answer = await fetch(`${host.widgetHost}/api/spot/user?public_key=PK_x`, {
      method: "POST",
      body: '{"rut":"1"}',
      headers: {
        "content-type": "application/json",
        "x-request-id": "a-request-of-the-widget",
        "x-forwarded-for": "6.6.6.6",
        "x-secret-key": "ak_x",
        cookie: "a=b",
      },
    });
    expect(answer.status).toBe(409);
    expect(answer.headers.get("x-from")).toBe("api");
    const { url, headers, body } = seen.at(-1) ?? { url: "", headers: {}, body: "" };
    expect([url, body]).toEqual(["/api/spot/user?public_key=PK_x", '{"rut":"1"}']);
    expect(headers["x-request-id"]).toBe("a-request-of-the-widget");
    expect(headers["x-forwarded-for"]).toMatch(/^(::ffff:)?127\.0\.0\.1$/);
    expect(headers["x-forwarded-proto"]).toBe("http");
    expect([headers["x-secret-key"], headers.cookie]).toEqual([undefined, undefined]);
  });

  it("names only the caller behind a proxy: one hop to the API, like a partner's call", async () => {
    const behind = await startBff({
      database: bff.database,
      environment: { ...elsewhere, TRUSTED_PROXIES: "1" },
    });
    answerWith = () => ({ status: 200, body: {} });
    const forwarded = { "x-forwarded-for": "6.6.6.6, 203.0.113.7", "x-forwarded-proto": "https" };
    await fetch(`${behind.widgetHost}/orders/${hash}`, { headers: forwarded });
    await behind.close();
    const headers: IncomingHttpHeaders = seen.at(-1)?.headers ?? {};
    expect([headers["x-forwarded-for"], headers["x-forwarded-proto"]]).toEqual(["203.0.113.7", "https"]);
  });

  it("forwards no secret", async () => {
    const before = seen.length;
    const authorization = `Bearer ${bff.clinic.credentials.client_secret}`;
    const answer = await fetch(`${host.widgetHost}/orders/${hash}`, { headers: { authorization } });
    expect([answer.status, JSON.parse(await answer.text()).code]).toEqual([401, "invalid_credential"]);
    expect(seen).toHaveLength(before);
  });

  it("a kept-alive connection has no more listeners after many forwarded requests than after one", async () => {
    const warnings: string[] = [];
    const note = ({ name }: Error) => warnings.push(name);
    process.on("warning", note);
    const agent = new Agent({ connections: 1 });
    for (let sent = 0; sent < 15; sent += 1) {
      const { body } = await request(`${host.widgetHost}/orders/${hash}`, { dispatcher: agent });
      await body.dump();
    }
    await agent.close();
    process.off("warning", note);
    expect(warnings).toEqual([]);
  });

  it("each forwarded request has its own connection to the API, so that slow ones delay no others", async () => {
    answerWith = () => ({ status: 200, body: {} });
    await fetch(`${host.widgetHost}/orders/${hash}`);
    expect(seen.at(-1)?.headers.connection).toBe("close");
  });

  it("forwards nothing that is not on the list", async () => {
    const before = seen.length;
    expect((await fetch(`${host.widgetHost}/orders`, { method: "POST" })).status).toBe(404);
    expect((await fetch(`${host.widgetHost}/api/profile`)).status).toBe(404);
    expect(seen).toHaveLength(before);
  });

  it.each(
    [...Object.values(orderEndpoints), ...Object.values(spotEndpoints)]
      .map(onWidgetHost)
      .filter((endpoint) => endpoint !== null)
      .map((endpoint) => ({ name: `${endpoint.method} ${endpoint.path}`, endpoint })),
  )("$name: an API that does not answer is 502, in the endpoint's own shape", async ({ endpoint }) => {
    answerWith = () => "hang up";
    const sent = endpoint.body === undefined ? {} : { body: {} };
    const params = { hash, token: hash, reference: hash };
    const answer = await host.callWidgetHost(endpoint, { as: bff.clinic, params, ...sent });
    expect([answer.status, answer.body.code, answer.body.detail]).toEqual([
      502,
      "upstream_unavailable",
      "El servicio no responde. Inténtalo de nuevo.",
    ]);
    expect(answer.body.request_id).toBe(answer.headers.get("x-request-id"));
  });
});
