import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEnv, promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import * as z from "zod/mini";
import { keysOfVariables } from "../../packages/server/src/dev/keys.ts";
import { clientOf, openOrder } from "../../packages/server/src/dev/play-scenario.ts";
import { orderEndpoints } from "../../src/contract/order-endpoints.ts";
import { spotEndpoints } from "../../src/contract/spot-endpoints.ts";
import { consentTexts } from "../../src/patients/consent-texts.ts";
import { startBff, type TestBff } from "../start-bff.ts";

let bff: TestBff;
beforeAll(async () => {
  bff = await startBff({ environment: { WEBHOOK_SIGNATURE_WORD: "Brand" } });
});
afterAll(() => bff.close());

const openApiSchema = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });
const samples = "../../docs/site";
const faces = (): string[] => [bff.orderApi, bff.spotApi];

describe("GET /openapi.json", () => {
  it("is the same document on both APIs, with their own addresses, open to every origin", async () => {
    const texts = [];
    for (const face of faces()) {
      const response = await fetch(`${face}/openapi.json`);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
      expect(response.headers.get("x-request-id")).not.toBeNull();
      texts.push(await response.text());
    }
    expect(texts[0]).toBe(texts[1]);
    const document = JSON.parse(texts[0] ?? "");
    expect(document.openapi).toBe("3.1.0");
    expect(document.paths["/orders"].post.servers[0].url).toBe(bff.orderApi);
    expect(document.paths["/api/spot/widget"].post.servers[0].url).toBe(bff.spotApi);
    expect(JSON.stringify(document.webhooks)).toContain("X-Brand-Signature");
  });

  it("describes exactly the mounted routes", async () => {
    const { paths } = openApiSchema.parse(await (await fetch(`${bff.orderApi}/openapi.json`)).json());
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const mounted = [...bff.context.orderRoutes, ...bff.context.spotRoutes].map(
      ({ endpoint }) => `${endpoint.method} ${endpoint.path}`,
    );
    expect(documented.sort()).toEqual(mounted.sort());
  });

  it("is missing on the widget host, which has only the widget's calls", async () => {
    expect((await fetch(`${bff.widgetHost}/openapi.json`)).status).toBe(404);
    expect((await fetch(`${bff.widgetHost}/docs`)).status).toBe(404);
  });
});

describe("the documentation for programs", () => {
  it("starts at /llms.txt, whose links lead to each page as Markdown, on every host", async () => {
    const listed = await fetch(`${bff.spotApi}/llms.txt`);
    expect(listed.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const links = [...(await listed.text()).matchAll(/\]\((\S+)\)/g)].map(([, url]) => String(url));
    expect(links).toContain(`${bff.orderApi}/docs/start.md`);
    for (const url of links) {
      const page = await fetch(url);
      expect([page.status, page.headers.get("content-type")], url).toEqual([200, "text/markdown; charset=utf-8"]);
      expect(await page.text()).toMatch(/^# \S/);
    }
    const html = await (await fetch(`${bff.orderApi}/docs/webhooks`)).text();
    expect(html).toContain('<link rel="alternate" type="text/markdown" href="/docs/webhooks.md">');
    expect((await fetch(`${bff.orderApi}/docs/nothing.md`)).status).toBe(404);
    expect((await fetch(`${bff.widgetHost}/llms.txt`)).status).toBe(404);
    const skill = await (await fetch(`${bff.orderApi}/SKILL.md`)).text();
    expect(skill).toMatch(/^---\nname: aapd-checkout\ndescription: >-\n {2}\w/);
    expect(skill).toMatch(/\/packages\/(?:next\/)?aapd-server-\d+\.\d+\.\d+(?:-next-\w+)?\.tgz /);
    expect(skill).not.toMatch(/ORDER_API|WIDGET_HOST|_PACKAGE/);
  });
});

describe("GET /docs", () => {
  it("has each page of the guide in Spanish under the same name below /docs/es/, as /llms.txt says", async () => {
    const index = await (await fetch(`${bff.orderApi}/llms.txt`)).text();
    const [, guide = ""] = /^## Guide$([\s\S]*?)^## /m.exec(index) ?? [];
    const names = [...guide.matchAll(/\/docs\/([\w-]+\.md)\)/g)].map(([, name = ""]) => name);
    expect(names).toContain("start.md");
    for (const name of names.filter((one) => !["changelog.md", "reference.md"].includes(one)))
      for (const path of [name, name.replace(".md", "")])
        expect([path, (await fetch(`${bff.orderApi}/docs/es/${path}`)).status]).toEqual([path, 200]);
  });

  it("is HTML under a policy that allows one file's script, no markup from text and no other host", async () => {
    for (const path of [
      "/docs",
      "/docs/",
      "/docs/es",
      "/docs/webhooks",
      "/docs/search?q=a",
      "/docs/reference/createOrder",
    ]) {
      const response = await fetch(`${bff.spotApi}${path}`);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(response.headers.get("content-security-policy")).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      );
      expect(response.headers.get("x-frame-options")).toBe("DENY");
    }
  });

  it("leads browsers that prefer Spanish to the guide in Spanish, from its first address only", async () => {
    const get = (path: string, languages: string) =>
      fetch(`${bff.orderApi}${path}`, { headers: { "Accept-Language": languages }, redirect: "manual" });
    for (const languages of ["es-CL,es;q=0.9,en;q=0.8", "es", "es-419"]) {
      const answer = await get("/docs", languages);
      expect([answer.status, answer.headers.get("location")]).toEqual([302, "/docs/es"]);
      expect(answer.headers.get("vary")).toContain("Accept-Language");
    }
    for (const languages of ["en-US,en;q=0.9,es;q=0.8", "*", "fr"])
      expect((await get("/docs", languages)).status).toBe(200);
    for (const path of ["/docs/start", "/docs.md", "/docs/webhooks"]) expect((await get(path, "es")).status).toBe(200);
    expect(await (await get("/docs/es", "en")).text()).toContain('<html lang="es-CL">');
  });

  it("can be searched on the server in both languages, and ignores a query that is not text", async () => {
    const search = async (path: string) => (await fetch(`${bff.orderApi}${path}`)).text();
    expect(await search("/docs/search?q=duplicate_reference")).toContain('href="/docs/errors#duplicate_reference"');
    expect(await search("/docs/es/search?q=c%C3%B3digo+qr")).toContain('href="/docs/es/front-desk#qr"');
    for (const path of ["/docs/search", "/docs/search?q=a&q=b", "/docs/search?q[x]=a"])
      expect(await search(path)).not.toContain('<ol class="results">');
  });

  it("serves its script with the hash by which the pages load it", async () => {
    const page = await (await fetch(`${bff.orderApi}/docs`)).text();
    const [, integrity] = /<script src="\/docs\/docs\.js" integrity="([^"]*)" defer>/.exec(page) ?? [];
    const script = await fetch(`${bff.orderApi}/docs/docs.js`);
    expect(script.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    const hash = createHash("sha384")
      .update(Buffer.from(await script.arrayBuffer()))
      .digest("base64");
    expect(integrity).toBe(`sha384-${hash}`);
  });

  it("serves its stylesheet", async () => {
    const response = await fetch(`${bff.orderApi}/docs/docs.css`);
    expect(response.headers.get("content-type")).toBe("text/css; charset=utf-8");
    expect(await response.text()).toContain("color-scheme");
  });

  it.each([
    "/docs/nothing",
    "/docs/../docs/nothing",
    "/docs/docs.css/more",
    "/docs/__proto__",
    "/docs/%2e%2e%2fpackage.json",
  ])("answers 404 at %s, in the API's format", async (path) => {
    const response = await fetch(`${bff.orderApi}${path}`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: "not_found", detail: { error_code: "not_found" } });
  });
});

describe("the ten-minute start, run exactly as printed", () => {
  const patient = {
    rut: "40.100.000-3",
    first_name: "Camila",
    last_name: "Rojas Fuentes",
    email: "camila@example.com",
    phone_number: "+56 9 1234 5678",
  };

  beforeAll(() => {
    vi.stubEnv("ORDER_API", bff.orderApi);
    vi.stubEnv("SPOT_API", bff.spotApi);
    vi.stubEnv("CLIENT_SECRET", bff.clinic.credentials.client_secret);
    vi.stubEnv("PUBLIC_KEY", bff.clinic.credentials.public_key);
  });
  afterAll(() => void vi.unstubAllEnvs());

  it("creates an order and gets an address that the widget opens, and creates no second order when repeated", async () => {
    const { startCheckout } = await import(`${samples}/start-checkout.mjs`);
    const sale = { reference: "venta-1", totalClp: 40_000, patient };
    const first = await startCheckout(sale);
    const second = await startCheckout(sale);
    expect(second.hash).toBe(first.hash);
    expect(second.url).not.toBe(first.url);
    expect((await fetch(first.url)).status).toBe(200);
    const order = await bff.callOrderApi(orderEndpoints.getOrder, { as: bff.clinic, params: { hash: first.hash } });
    expect(order.body).toMatchObject({ reference: "venta-1", total_amount: 40_000, status: "pending" });
    await expect(startCheckout({ ...sale, reference: "venta-2", totalClp: -1 })).rejects.toThrow(
      /^total_amount_negative \([\w-]+\)$/,
    );
  });

  const inPython = `import json, sys
sys.path[:0] = [sys.argv[1], sys.argv[2]]
from start_checkout import aapd, start_checkout
from submit_receipt import submit_receipt
patient = json.loads(sys.argv[3])
order_hash, url = start_checkout("venta-python", 40000, patient)
try:
    submit_receipt(aapd, order_hash, patient["rut"], b"%PDF-1.4\\n%%EOF\\n")
except Exception as error:
    print(json.dumps({"url": url, "refusal": error.code}))`;
  const inPhp = `set_include_path($argv[2]);
foreach (['start-checkout.php', 'submit-receipt.php'] as $file) require $argv[1] . $file;
$patient = json_decode($argv[3], true);
$sale = startCheckout($aapd, 'venta-php', 40000, $patient);
try {
    submitReceipt($aapd, $sale['hash'], $patient['rut'], "%PDF-1.4\\n%%EOF\\n");
} catch (AapdError $error) {
    echo json_encode(['url' => $sale['url'], 'refusal' => $error->errorCode]);
}`;
  const site = fileURLToPath(new URL("../../docs/site/", import.meta.url));
  const inShell = `. "$1start-checkout.sh" > answer.json; cat answer.json; cp "$1projects/all/boleta.pdf" .; . "$1submit-receipt.sh"`;

  const languages = [
    { language: "Python", needs: "python3", command: ["python3", "-c", inPython] },
    { language: "PHP", needs: "php", command: ["php", "-r", inPhp, "--"] },
    { language: "curl", needs: "curl", command: ["sh", "-c", inShell, "sh"] },
  ];
  for (const { language, needs, command } of languages) {
    const isInstalled = spawnSync(needs, ["--version"]).status === 0;
    it.skipIf(!isInstalled)(`starts a checkout and submits a receipt in ${language} too`, async () => {
      const [program = "", ...args] = command;
      const given = JSON.stringify({ ...patient, rut: "41615041-9" });
      const folder = await mkdtemp(join(tmpdir(), "samples-"));
      const options = { cwd: folder, env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" } };
      const { stdout } = await promisify(execFile)(program, [...args, site, `${site}clients/`, given], options);
      await rm(folder, { recursive: true });
      const [, url = ""] = /"url": ?"(.*?)"/.exec(stdout) ?? [];
      expect((await fetch(url.replaceAll("\\/", "/"))).status).toBe(200);
      // No patient has signed up with this RUT: the receipt of each has arrived.
      expect(stdout).toContain("beneficiary_not_found");
    });
  }

  const scripts = [
    { language: "Python", needs: "python3", command: ["python3", "get_keys.py"] },
    { language: "PHP", needs: "php", command: ["php", "get-keys.php"] },
    { language: "curl", needs: "curl", command: ["sh", "get-keys.sh"] },
  ];
  for (const { language, needs, command } of scripts) {
    const isInstalled = spawnSync(needs, ["--version"]).status === 0;
    it.skipIf(!isInstalled)(`gets keys in ${language}, with which an order is created`, async () => {
      const [program = "", file = ""] = command;
      const folder = await mkdtemp(join(tmpdir(), "samples-"));
      const { stdout } = await promisify(execFile)(program, [`${site}${file}`], { cwd: folder });
      expect(stdout).toMatch(/^The keys are in \.env, and live until \d{4}-/);
      expect((await stat(join(folder, ".env"))).mode & 0o777).toBe(0o600);
      const keys = keysOfVariables(parseEnv(await readFile(join(folder, ".env"), "utf8")));
      await rm(folder, { recursive: true });
      if (keys === null) throw new Error("A variable is missing in .env.");
      const client = clientOf(keys);
      await expect(openOrder(client, "41615041-9")).resolves.toMatchObject({ url: expect.any(String) });
      expect((await client.readProfile()).provider.id).toBe(keys.provider.id);
    });
  }

  it("submits the receipt of a patient who has signed up, once", async () => {
    const { startCheckout } = await import(`${samples}/start-checkout.mjs`);
    const { submitReceipt } = await import(`${samples}/submit-receipt.mjs`);
    const { hash, url } = await startCheckout({ reference: "venta-3", totalClp: 40_000, patient });
    const receipt = Buffer.from("%PDF-1.4\n%%EOF\n");
    await expect(submitReceipt({ hash, rut: patient.rut, receipt })).rejects.toThrow(/^beneficiary_not_found/);
    const given = consentTexts("es-CL", "onboarding").map(({ purpose, text_version, text_sha256 }) => ({
      purpose,
      text_version,
      text_sha256,
    }));
    const registered = await bff.callSpotApi(spotEndpoints.registerPatient, {
      as: bff.clinic,
      body: {
        ...patient,
        widget_token: new URL(url).searchParams.get("widget_token"),
        insurer: "colmena",
        consents: given,
      },
    });
    expect(registered.status).toBe(201);
    expect(await submitReceipt({ hash, rut: patient.rut, receipt })).toMatchObject({ aapd: true, created: true });
    expect(await submitReceipt({ hash, rut: patient.rut, receipt })).toMatchObject({ aapd: true, created: false });
  });
});
