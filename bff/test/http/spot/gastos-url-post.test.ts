import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { JPEG, pdf } from "./expense-forms.ts";
import { CAMILA, given, MATIAS } from "./people.ts";
import { type SpotFace, START, startSpotFace, type TestProvider } from "./spot-face.ts";

/** The addresses of these names. All others resolve to this machine, which only this test allows. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "private.example": ["10.0.0.7"],
  "metadata.example": ["169.254.169.254"],
  "mapped.example": ["::ffff:10.0.0.7"],
  "mixed.example": ["127.0.0.1", "192.168.1.1"],
};
let reached = 0;
const files: RequestListener = (request, response) => {
  reached += 1;
  const path = request.url ?? "";
  if (path.startsWith("/redirect-inward")) response.writeHead(302, { location: "http://private.example/secret" }).end();
  else if (path === "/loop") response.writeHead(302, { location: "/loop" }).end();
  else if (path === "/missing") response.writeHead(404).end("no");
  else if (path === "/html") response.end("<html></html>");
  else if (path === "/lies") response.writeHead(200, { "content-length": 10 }).end(pdf(10));
  else if (path === "/endless") {
    const write = () => {
      while (response.write(pdf(64 * 1024)));
      response.once("drain", write);
    };
    write();
  } else
    response.end(
      path.endsWith(".jpg") ? JPEG : pdf(Number(new URL(path, "http://x").searchParams.get("bytes") ?? 500)),
    );
};

let face: SpotFace;
let clinic: TestProvider;
let base: string;
const server = createServer(files);
beforeAll(async () => {
  const resolve = async (name: string) => {
    if (name === "unknown.example") throw new Error("ENOTFOUND");
    return (NAMES[name] ?? ["127.0.0.1"]).map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  };
  face = await startSpotFace({ resolve });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  base = `http://files.example:${(server.address() as AddressInfo).port}`;
});
beforeEach(async () => {
  face.clock.set(START);
  reached = 0;
  clinic = await face.makeProvider();
  const key = `public_key=${clinic.credentials.public_key}`;
  const { body } = await face.call("mintWidgetToken", `/api/spot/widget?${key}`, { body: {} });
  await face.call("registerPatient", `/api/spot/user?${key}`, {
    body: { ...CAMILA, consents: given("onboarding"), widget_token: body.widget_token },
  });
});
afterEach(() => face.forgetUploads());
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await face.stop();
});

function submit(
  body: unknown,
  rut: string = CAMILA.rut,
  publicKey: string = clinic.credentials.public_key,
  headers = {},
) {
  const query = new URLSearchParams({ public_key: publicKey, rut });
  return face.call("submitExpenseByUrl", `/api/spot/gastos-url?${query.toString()}`, { body, headers });
}
const expenses = () =>
  face.db.selectFrom("expenses").selectAll().where("provider_id", "=", clinic.provider.id).execute();

describe("POST /api/spot/gastos-url", () => {
  it("answers a repeat with the same Idempotency-Key as the first time, without fetching again", async () => {
    const keyed = (body: unknown) =>
      submit(body, CAMILA.rut, clinic.credentials.public_key, { "idempotency-key": "boleta-B-78" });
    const body = { urls: [`${base}/boleta.pdf`], total: 45_952 };
    const both = await Promise.all([keyed(body), keyed(body)]);
    const fetched = reached;
    const again = await keyed(body);
    const [stored, ...others] = await expenses();
    expect(others).toEqual([]);
    expect([...both, again].map((answer) => [answer.status, answer.body.id])).toEqual(
      [0, 1, 2].map(() => [200, stored?.id]),
    );
    expect([reached, again.headers.get("idempotency-replayed")]).toEqual([fetched, "true"]);
    const other = await keyed({ ...body, total: 45_953 });
    expect([other.status, other.body.code]).toEqual([422, "idempotency_key_reused"]);
    const lease = { lease_id: "0c0c3d4a-3f6e-4b55-8b61-0c8a6a1f0d11", lease_until: new Date("2099-01-01") };
    await face.db
      .updateTable("idempotency_keys")
      .set({ status: null, body_sealed: null, ...lease })
      .execute();
    const held = await keyed(body);
    expect([held.status, held.body.code]).toEqual([409, "idempotency_in_flight"]);
    const malformed = await submit(body, CAMILA.rut, clinic.credentials.public_key, { "idempotency-key": "" });
    expect([malformed.status, malformed.body.code]).toEqual([422, "idempotency_key_malformed"]);
  });

  it("200 fetches the files and answers as the form does, without the query of the URL", async () => {
    const order = await face.createOrder(clinic);
    const urls = [`${base}/boletas/boleta%201.pdf?bytes=700&signature=secret`, `${base}/orden.jpg`];
    const { status, body } = await submit({ urls, total: 45952, skip_pay_order_id: order, expense_subtypes: ["exam"] });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      aapd: true,
      skip_pay_order_id: order,
      status: "waiting_order",
      processed_files: [
        { name: "boleta 1.pdf", bytes: 700, type: "application/pdf" },
        { name: "orden.jpg", bytes: JPEG.length, type: "image/jpeg" },
      ],
    });
    expect(JSON.stringify(body) + face.log()).not.toContain("signature=secret");
    expect((await expenses())[0]).toMatchObject({ total: 45_952, subtypes: ["exam"] });
  });

  it("200 reuses the expense of an order, as the form does", async () => {
    const skip_pay_order_id = await face.createOrder(clinic);
    const first = await submit({ urls: [`${base}/a.pdf`], skip_pay_order_id });
    const again = await submit({ urls: [`${base}/a.pdf`], skip_pay_order_id });
    expect(again.body).toEqual({ ...first.body, created: false });
  });

  it.each([
    ["http on the open net", "http://8.8.8.8/a.pdf"],
    ["another scheme", "file:///etc/passwd"],
    ["no URL", "boleta.pdf"],
    ["credentials in the URL", "https://user:word@files.example/a.pdf"],
    ["an address of ours", "https://10.0.0.7/a.pdf"],
    ["a decimal address", "https://2886729729/a.pdf"],
    ["a name that is private", "https://private.example/a.pdf"],
    ["a name that is mapped", "https://mapped.example/a.pdf"],
    ["the cloud's metadata", "https://metadata.example/latest"],
    ["a name of which one address is private", "https://mixed.example/a.pdf"],
  ])("400 processing_error for %s, which is never called", async (_what, url) => {
    const { body } = await submit({ urls: [url] });
    expect(body).toMatchObject({ code: "processing_error", errors: [{ path: "urls.0" }] });
    expect(reached).toBe(0);
    expect(await expenses()).toEqual([]);
  });

  it.each([
    ["/redirect-inward", "processing_error"],
    ["/loop", "processing_error"],
    ["/missing", "processing_error"],
    ["/html", "processing_error"],
    ["/endless", "file_too_large"],
    ["/a.pdf?bytes=2097153", "file_too_large"],
  ])("400 for a server that answers %s: %s, and nothing is left", async (path, code) => {
    const { body } = await submit({ urls: [`${base}/fine.pdf`, `${base}${path}`] });
    expect(body.code).toBe(code);
    expect(face.storage.files.size).toBe(0);
    expect(await expenses()).toEqual([]);
  });

  it("never reveals which internal host names exist: every cause has the same answer", async () => {
    const urls = [
      "https://private.example/a.pdf",
      "https://unknown.example/a.pdf",
      `${base}/missing`,
      "http://8.8.8.8/",
    ];
    const answers = new Set<string>();
    for (const url of urls) answers.add(JSON.stringify((await submit({ urls: [url] })).body));
    expect(answers.size).toBe(1);
  });

  it("200 for a file of exactly 2 MB", async () => {
    expect((await submit({ urls: [`${base}/a.pdf?bytes=2097152`] })).status).toBe(200);
  });

  it("400 no_files, too_many_files and a wrong order before anything is fetched", async () => {
    const url = `${base}/a.pdf`;
    expect((await submit({})).body.code).toBe("no_files");
    expect((await submit({ urls: [] })).body.code).toBe("no_files");
    expect((await submit({ urls: Array(6).fill(url) })).body.code).toBe("too_many_files");
    for (const skip_pay_order_id of ["3f2504e0-4f89-41d3-9a0c-0305e82c3301", {}]) {
      const { body } = await submit({ urls: [url], skip_pay_order_id });
      expect(body).toMatchObject({ code: "processing_error", errors: [{ path: "skip_pay_order_id" }] });
    }
    expect(reached).toBe(0);
  });

  it.each([45.952, 45952.5, -1, 1e21, true, { pesos: 1 }])("200 stores the total %j as sent", async (total) => {
    const { body } = await submit({ urls: [`${base}/a.pdf`], total, name: null });
    expect(body.unread_fields).toEqual(["total"]);
    expect((await expenses())[0]).toMatchObject({ total: null, unread_fields: { total: JSON.stringify(total) } });
  });

  it("200 reads a dot in the total as the thousands separator, as the form does", async () => {
    expect((await submit({ urls: [`${base}/a.pdf`], total: "45.952" })).status).toBe(200);
    expect((await expenses())[0]).toMatchObject({ total: 45_952 });
  });

  it("401, 404 and 422 as the form does", async () => {
    expect((await submit({}, CAMILA.rut, "PK_unknown")).body.code).toBe("invalid_provider");
    expect((await submit({ urls: "x" }, MATIAS.rut)).body.code).toBe("beneficiary_not_found");
    expect((await submit({ urls: "x" })).body).toMatchObject({ code: "validation_error", errors: [{ path: "urls" }] });
  });
});
