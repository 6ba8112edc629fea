import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import createClient from "openapi-fetch";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { consoleDocument } from "../../src/back-office/console/console-document.ts";
import { registerPatient } from "../registered-patient.ts";
import { startBff, type TestBff } from "../start-bff.ts";
import { expenseForm, pdf } from "./spot/expense-forms.ts";

/* Clients that two generators make from the served document, and the report of a third-party linter about it. */

const bffFolder = fileURLToPath(new URL("../../", import.meta.url));
let bff: TestBff;
/** Inside the package, so that the generated code finds its packages. */
let folder: string;
beforeAll(async () => {
  bff = await startBff();
  await registerPatient(bff, bff.clinic, { rut: "40.100.000-3" });
  folder = await mkdtemp(join(bffFolder, "node_modules/.generated-"));
  await writeFile(join(folder, "openapi.json"), await (await fetch(`${bff.orderApi}/openapi.json`)).text());
  await writeFile(join(folder, "console.json"), JSON.stringify(consoleDocument("https://console.aapd.example")));
  await Promise.all([
    run("openapi-typescript", "openapi.json", "-o", "schema.d.ts"),
    run("openapi-ts", "-i", "openapi.json", "-o", "client", "-c", "@hey-api/client-fetch", "--silent"),
  ]);
});
afterAll(async () => {
  await bff.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a program of a package in the folder. Rejects with its output if it fails. */
function run(program: string, ...args: readonly string[]) {
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  return promisify(execFile)(join(bffFolder, "node_modules/.bin", program), [...args], { cwd: folder, env });
}

const order = (reference: string) => ({
  reference,
  total_amount: 40_000,
  customer: {
    rut: "40.100.000-3",
    first_name: "Camila",
    last_name: "Rojas",
    email: "camila@example.com",
    phone_number: "+56912345678",
  },
});
const bearer = () => ({ Authorization: `Bearer ${bff.clinic.credentials.client_secret}` });

it.each([
  ["partners", "openapi.json"],
  ["operators' scripts", "console.json"],
])("the document for %s has no error and no warning for a third party's linter", async (_readers, file) => {
  const { stdout } = await run("redocly", "lint", file, "--format=json");
  const { totals, problems } = JSON.parse(stdout);
  expect({ totals, problems }).toEqual({ totals: { errors: 0, warnings: 0, ignored: 0 }, problems: [] });
});

describe("the code that generators produce from the document", () => {
  it("compiles: openapi-typescript and @hey-api/openapi-ts", async () => {
    const use = `import type { paths } from "./schema.d.ts";
      import { createOrder } from "./client/sdk.gen.ts";
      type Body = paths["/orders"]["post"]["requestBody"]["content"]["application/json"];
      export const send = (body: Body) => createOrder({ body });
    `;
    await writeFile(join(folder, "use.ts"), use);
    const compilerOptions = {
      noEmit: true,
      strict: true,
      skipLibCheck: true,
      target: "es2023",
      module: "preserve",
      lib: ["es2023", "dom", "dom.iterable"],
      types: [],
      allowImportingTsExtensions: true,
    };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["use.ts"] }));
    await run("tsc", "-p", "tsconfig.json");
  });
});

describe("a live service, called by", () => {
  it("openapi-fetch creates an order, repeats it, is refused, and submits a receipt", async () => {
    const orders = createClient<never>({ baseUrl: bff.orderApi }) as unknown as LooseClient;
    const created = await orders.POST("/orders", { body: order("of openapi-fetch"), headers: bearer() });
    expect(created.response.status).toBe(201);
    const params = { path: { hash: String(created.data?.hash) } };
    const read = await orders.GET("/orders/{hash}", { params, headers: bearer() });
    expect(read.data).toMatchObject({ status: "pending", reference: "of openapi-fetch", center: null });
    const again = await orders.POST("/orders", { body: order("of openapi-fetch"), headers: bearer() });
    expect([again.response.status, again.error?.code]).toEqual([409, "duplicate_reference"]);
    const spot = createClient<never>({ baseUrl: bff.spotApi }) as unknown as LooseClient;
    const query = { public_key: bff.clinic.credentials.public_key, rut: "40.100.000-3" };
    const receipt = await spot.POST("/api/spot/gastos", {
      params: { query },
      body: expenseForm([pdf()], { skip_pay_order_id: params.path.hash }),
      bodySerializer: (form: unknown) => form,
    });
    expect(receipt.data).toMatchObject({ aapd: true, unread_fields: [], submission_status: "waiting_order" });
  });

  it("@hey-api/openapi-ts mints a widget token, reads its session, and is refused", async () => {
    const { client } = await import(/* @vite-ignore */ join(folder, "client/client.gen.ts"));
    const sdk = await import(/* @vite-ignore */ join(folder, "client/sdk.gen.ts"));
    client.setConfig({ baseUrl: bff.spotApi });
    const { public_key } = bff.clinic.credentials;
    const minted = await sdk.mintWidgetToken({ query: { public_key, long_term_token: "true" }, body: {} });
    expect(minted.response.status).toBe(201);
    const session = await sdk.readWidgetToken({ path: { token: minted.data.widget_token } });
    expect(session.data).toMatchObject({ event_type: "SPOT_USER_NEW", user_data: {} });
    const refused = await sdk.mintWidgetToken({ query: { public_key }, body: { rut: "13656606" } });
    expect(refused.error).toMatchObject({ code: "validation_error", errors: [{ path: "rut" }] });
  });
});

/** The client without the types that are generated only when this file runs. */
interface LooseClient {
  readonly GET: (path: string, init: object) => Promise<LooseAnswer>;
  readonly POST: (path: string, init: object) => Promise<LooseAnswer>;
}
interface LooseAnswer {
  readonly response: Response;
  readonly data?: Record<string, unknown>;
  readonly error?: Record<string, unknown>;
}
