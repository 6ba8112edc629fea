import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createFieldReader } from "../../../src/claims/expenses/expense-fields.ts";
import { receiveFile } from "../../../src/claims/expenses/receive-file.ts";
import { submitExpense } from "../../../src/claims/expenses/submit-expense.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import { tenantOf } from "../../../src/patients/beneficiary.ts";
import { findBeneficiary } from "../../../src/patients/patients.ts";
import { DatabaseUnavailable } from "../../../src/platform/database/errors.ts";
import { troubledDatabase } from "../../troubled-database.ts";
import { expenseForm, HEIC, JPEG, PNG, pdf, WEBP, XML } from "./expense-forms.ts";
import { CAMILA, given, MATIAS } from "./people.ts";
import { replay } from "./recorded-senders.ts";
import { beginEach, clinicsHaveTheirOwnPatients, type SpotFace, START, type TestProvider } from "./spot-face.ts";

let face: SpotFace;
let clinic: TestProvider;
beginEach(async (beginning) => {
  ({ face, clinic } = beginning);
  await register();
});
afterEach(() => face.forgetUploads());

async function register(person: Record<string, unknown> = {}) {
  const key = `public_key=${clinic.credentials.public_key}`;
  const { body } = await face.call("mintWidgetToken", `/api/spot/widget?${key}`, { body: {} });
  const answer = await face.call("registerPatient", `/api/spot/user?${key}`, {
    body: { ...CAMILA, consents: given("onboarding"), widget_token: body.widget_token, ...person },
  });
  await face.prove(clinic);
  return answer;
}

/** The patient's access to the insurer, without which no claim is filed. */
async function giveAccess(): Promise<void> {
  const sealed_insurer_access = await face.sealAccess({ insurer: CAMILA.insurer, rut: CAMILA.rut });
  await register({ sealed_insurer_access, consents: given("onboarding", "insurer_access") });
}

function submit(form: FormData, rut: string = CAMILA.rut, by: TestProvider = clinic, headers = {}) {
  const query = new URLSearchParams({ public_key: by.credentials.public_key, rut });
  return face.call("submitExpense", `/api/spot/gastos?${query.toString()}`, { form, headers });
}

const expenses = () =>
  face.db.selectFrom("expenses").selectAll().where("provider_id", "=", clinic.provider.id).execute();
const storedFiles = () =>
  face.db
    .selectFrom("expense_files")
    .selectAll()
    .where("provider_id", "=", clinic.provider.id)
    .orderBy("position")
    .execute();
const openTimers = () =>
  face.db
    .selectFrom("timers")
    .select("kind")
    .where("provider_id", "=", clinic.provider.id)
    .where("done_at", "is", null)
    .execute();

const events = () =>
  face.db
    .selectFrom("events")
    .select(["kind", "order_id", "payload"])
    .where("provider_id", "=", clinic.provider.id)
    .where("kind", "!=", "patient.proven")
    .execute();

/** A refused submission leaves nothing in the database or on disk. */
async function expectNothingLeft() {
  expect(await expenses()).toEqual([]);
  expect(face.storage.files.size).toBe(0);
  expect((await openTimers()).filter(({ kind }) => kind.startsWith("expenses."))).toEqual([]);
}

describe("POST /api/spot/gastos", () => {
  describe("200", () => {
    it("records a plain expense, which requires only the files, and never enqueues it", async () => {
      const content = pdf(2_097_152);
      const { status, body } = await submit(expenseForm([content]));
      expect(status).toBe(200);
      expect(body).toEqual({
        id: body.id,
        status: "received",
        aapd: false,
        skip_pay_order_id: null,
        created: true,
        processed_files: [{ name: "boleta-1.pdf", bytes: 2_097_152, type: "application/pdf" }],
        submission_status: "not_enqueued",
        missing_document_types: [],
        unread_fields: [],
      });
      const [file] = await storedFiles();
      expect(file?.sha256).toBe(createHash("sha256").update(content).digest("hex"));
      expect(face.storage.files.get(file?.storage_name ?? "")?.length).toBe(2_097_152);
    });

    it("stores the fields as parsed", async () => {
      const fields = {
        name: "Camila Rojas",
        date: "21/11/2026",
        receipt_id: "B-77",
        receipt_rut: "76.900.001-1",
        doctor_rut: "12.345.678-5",
        total: "45.952",
        expense_subtypes: ["consultation"],
      };
      expect((await submit(expenseForm([pdf()], fields))).status).toBe(200);
      expect((await expenses())[0]).toMatchObject({
        name: "Camila Rojas",
        service_date: "2026-11-21",
        receipt_id: "B-77",
        receipt_rut: "76900001-1",
        doctor_rut: "12345678-5",
        total: 45_952,
        subtypes: ["consultation"],
      });
    });

    it("never refuses an optional field: an unreadable one is stored as sent, and named", async () => {
      const unread = { date: "31/02/2026", total: "12,5", receipt_rut: "1-9", expense_subtypes: "surgery" };
      const { status, body } = await submit(
        expenseForm([pdf()], { ...unread, name: "x".repeat(5_000), doctor_rut: "76.900.001-1" }),
      );
      expect({ status, unread: body.unread_fields }).toEqual({
        status: 200,
        unread: ["name", "date", "receipt_rut", "total", "expense_subtypes"],
      });
      expect((await expenses())[0]).toMatchObject({
        name: null,
        service_date: null,
        total: null,
        doctor_rut: "76900001-1",
        unread_fields: { ...unread, name: "x".repeat(1_000) },
      });
    });

    it.each([
      ["php-curl", ["boleta de José.pdf", "orden médica.pdf"], "2026-05-01", "José Ñandú Pérez"],
      ["axios", ["boleta.pdf", "orden médica.pdf"], "2026-11-20", null],
      ["python-requests", ["boleta de José.pdf", "orden.pdf"], "2026-11-21", null],
      ["java-http-client", ["boleta.pdf", "boleta2.pdf"], "2026-11-20", "María Muñoz"],
    ] as const)("parses what %s really sends", async (sender, names, service_date, name) => {
      const order = await face.createOrder(clinic);
      const to = { url: face.url, publicKey: clinic.credentials.public_key, order };
      const { status, body } = await replay(sender, to);
      expect([status, body.unread_fields, body.skip_pay_order_id]).toEqual([200, [], order]);
      expect((await storedFiles()).map((file) => file.name)).toEqual(names);
      expect((await expenses())[0]).toMatchObject({ service_date, name, total: 40_000 });
    });

    it("does not parse a field that is too long to be read to its end", async () => {
      const total = `${" ".repeat(4_091)}45.952`;
      expect((await submit(expenseForm([pdf()], { total }))).body.unread_fields).toEqual(["total"]);
    });

    it("fills in from a repeat the fields that it could not read before", async () => {
      const order = await face.createOrder(clinic);
      const send = (total: string) => submit(expenseForm([pdf()], { skip_pay_order_id: order, total, date: "hoy" }));
      expect((await send("12,5")).body.unread_fields).toEqual(["date", "total"]);
      expect((await send("40000")).body.unread_fields).toEqual(["date"]);
      expect((await expenses())[0]).toMatchObject({ total: 40_000, unread_fields: { date: "hoy" } });
    });

    it("detects photos of phones and electronic receipts by their content", async () => {
      const form = expenseForm([HEIC, WEBP, XML]);
      const { status, body } = await submit(form);
      expect(status).toBe(200);
      expect(body.processed_files.map(({ type }: { type: string }) => type)).toEqual([
        "image/heic",
        "image/webp",
        "application/xml",
      ]);
      expect([...face.storage.files.values()]).toEqual(expect.arrayContaining([HEIC, WEBP, XML]));
    });

    it("accepts a receipt next to empty file inputs, and refuses a form with nothing else", async () => {
      const form = new FormData();
      form.append("uploaded_files", new File([], "", { type: "application/octet-stream" }));
      const refused = await submit(form);
      expect([refused.status, refused.body.code]).toEqual([400, "no_files"]);
      form.append("uploaded_files", new Blob([new Uint8Array(pdf())]), "");
      const { status, body } = await submit(form);
      expect([status, body.processed_files.length]).toEqual([200, 1]);
    });

    it.each(["uploaded_files[]", "uploaded_files[0]"])("accepts the files in the field %s too", async (field) => {
      const form = expenseForm([]);
      form.append(field, new Blob([new Uint8Array(pdf())]), "boleta.pdf");
      expect((await submit(form)).status).toBe(200);
    });

    it("replaces a receipt that is rendered again for each try, so that the five places stay free", async () => {
      const order = await face.createOrder(clinic);
      const fields = { skip_pay_order_id: order, receipt_id: "B-77", total: "40000" };
      for (let round = 0; round < 7; round += 1) {
        const { body } = await submit(expenseForm([pdf(900, String(round)), JPEG], fields));
        expect(body.processed_files).toHaveLength(2);
      }
      const sha256 = (content: Buffer) => createHash("sha256").update(content).digest("hex");
      expect((await storedFiles()).map((file) => file.sha256)).toEqual([sha256(pdf(900, "6")), sha256(JPEG)]);
      // No file is removed before the submission that replaced it must have ended.
      face.clock.advance(10 * 60_000 - 1);
      await face.runDue();
      expect(face.storage.files.size).toBe(8);
      face.clock.advance(1);
      await face.runDue();
      expect(face.storage.files.size).toBe(2);
      expect(
        (await submit(expenseForm([pdf(900, "8")], { ...fields, total: "40001" }))).body.processed_files,
      ).toHaveLength(3);
    });

    it("adds a kind of service from a repeat, and requires its document", async () => {
      const order = await face.createOrder(clinic);
      await face.moveOrder(clinic, order, "paid");
      const send = (subtype: string) =>
        submit(expenseForm([pdf()], { skip_pay_order_id: order, expense_subtypes: subtype }));
      expect((await send("consultation")).body).toMatchObject({ status: "received", missing_document_types: [] });
      const held = { status: "held", missing_document_types: ["medical_order"], submission_status: "not_enqueued" };
      for (let round = 0; round < 2; round += 1) expect((await send("exam")).body).toMatchObject(held);
      expect((await expenses())[0]).toMatchObject({ status: "held", subtypes: ["consultation", "exam"] });
    });

    it("leaves the patient's other receipts alone when one is completed and rendered again", async () => {
      const [order, other] = [await face.createOrder(clinic), await face.createOrder(clinic)];
      const first = (hash: string) =>
        submit(
          expenseForm([pdf(900), JPEG], { skip_pay_order_id: hash, receipt_id: "B-77", total: "40000", date: "hoy" }),
        );
      const otherExpense = (await first(other)).body;
      await first(order);
      await submit(expenseForm([pdf(900)], { receipt_id: "B-77", total: "40000", date: "hoy" }));
      const ofOthers = async () => ({
        expenses: (await expenses()).filter(({ order_id }) => order_id !== order),
        files: (await storedFiles()).filter(({ expense_id }) => expense_id === otherExpense.id),
      });
      const before = await ofOthers();
      const again = { receipt_id: "B-77", total: "40000", date: "21/11/2026", expense_subtypes: "exam" };
      const { body } = await submit(expenseForm([pdf(900, "y"), JPEG, PNG], { ...again, skip_pay_order_id: order }));
      expect(body.processed_files.map(({ bytes }: { bytes: number }) => bytes)).toEqual([900, JPEG.length, PNG.length]);
      expect(body.unread_fields).toEqual([]);
      expect(await ofOthers()).toEqual(before);
      expect((await first(other)).body).toEqual({ ...otherExpense, created: false });
    });

    it.each([
      ["2026-01-02T01:00:00Z", "2026-01-01"],
      ["2026-01-02", "2026-01-02"],
    ])("stores the date %s as the day in Santiago", async (date, service_date) => {
      expect((await submit(expenseForm([pdf()], { date }))).status).toBe(200);
      expect((await expenses())[0]).toMatchObject({ service_date });
    });

    it("accepts five files of three types, in their order, typed by content", async () => {
      const { body } = await submit(expenseForm([pdf(), JPEG, PNG, pdf(500), pdf(600)]));
      expect(body.processed_files.map(({ type }: { type: string }) => type)).toEqual([
        "application/pdf",
        "image/jpeg",
        "image/png",
        "application/pdf",
        "application/pdf",
      ]);
      expect((await storedFiles()).map(({ bytes }) => bytes)).toEqual([1_000, JPEG.length, PNG.length, 500, 600]);
    });

    it("accepts the RUT with or without dots", async () => {
      expect((await submit(expenseForm([pdf()]), "40.100.000-3")).status).toBe(200);
    });

    it.each([
      ["awaiting_payment", "waiting_order", "waiting_order"],
      ["paying", "waiting_order", "waiting_order"],
      ["paid", "received", "queued"],
      ["partially_refunded", "received", "queued"],
      ["refunded", "received", "not_enqueued"],
      ["cancelled", "received", "not_enqueued"],
    ] as const)("accepts an order that is %s: %s and %s", async (state, status, submission_status) => {
      const order = await face.createOrder(clinic);
      await face.moveOrder(clinic, order, state);
      const { body } = await submit(expenseForm([pdf()], { skip_pay_order_id: `  ${order}\n` }));
      expect(body).toMatchObject({ aapd: true, skip_pay_order_id: order, created: true, status, submission_status });
    });

    it("holds a derived service until its medical order arrives", async () => {
      const order = await face.createOrder(clinic);
      await face.moveOrder(clinic, order, "paid");
      const fields = { skip_pay_order_id: order, expense_subtypes: ["exam"] };
      const held = await submit(expenseForm([pdf()], fields));
      expect(held.body).toMatchObject({
        status: "held",
        submission_status: "not_enqueued",
        missing_document_types: ["medical_order"],
      });
      const completed = await submit(expenseForm([pdf(800)], { skip_pay_order_id: order }));
      expect(completed.body).toMatchObject({
        id: held.body.id,
        created: false,
        status: "received",
        submission_status: "queued",
        missing_document_types: [],
      });
    });

    it("reuses the expense of an order: a retry is safe and changes nothing", async () => {
      const order = await face.createOrder(clinic);
      const form = () => expenseForm([pdf()], { skip_pay_order_id: order, total: "40000" });
      const first = await submit(form());
      const rows = [await expenses(), await events()];
      face.clock.advance(1_000);
      const again = await submit(form());
      expect(again.body).toEqual({ ...first.body, created: false });
      expect([await expenses(), await events()]).toEqual(rows);
      expect(await storedFiles()).toHaveLength(1);
      expect(face.storage.files.size).toBe(1);
    });

    it("adds new files up to five until the expense is filed", async () => {
      const order = await face.createOrder(clinic);
      const fields = { skip_pay_order_id: order };
      await submit(expenseForm([pdf(100), pdf(200), pdf(300)], fields));
      const added = await submit(expenseForm([pdf(200), pdf(400), pdf(500), pdf(600)], fields));
      const bytes = (body: { processed_files: { bytes: number }[] }) => body.processed_files.map((file) => file.bytes);
      expect(bytes(added.body)).toEqual([100, 200, 300, 400, 500]);
      expect(face.storage.files.size).toBe(5);
      await giveAccess();
      await face.moveOrder(clinic, order, "paid");
      await face.runDue();
      const late = await submit(expenseForm([pdf(700)], fields));
      expect(bytes(late.body)).toEqual([100, 200, 300, 400, 500]);
      expect(late.body).toMatchObject({ status: "filed", created: false });
      expect(face.storage.files.size).toBe(5);
    });

    it("creates one expense from ten concurrent submissions", async () => {
      const order = await face.createOrder(clinic);
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => submit(expenseForm([pdf()], { skip_pay_order_id: order }))),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
      expect(answers.filter(({ body }) => body.created)).toHaveLength(1);
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
      expect(await storedFiles()).toHaveLength(1);
      expect(face.storage.files.size).toBe(1);
    });

    it("records the receipt event in the same transaction", async () => {
      const order = await face.createOrder(clinic);
      const { body } = await submit(expenseForm([pdf()], { skip_pay_order_id: order }));
      expect(await events()).toEqual([
        { kind: "expense.received", order_id: order, payload: { expense_id: body.id, order_hash: order } },
      ]);
    });
  });

  describe("400", () => {
    it.each([
      ["no_files", expenseForm([])],
      ["too_many_files", expenseForm(Array.from({ length: 6 }, (_, index) => pdf(100 + index)))],
      ["file_too_large", expenseForm([pdf(2_097_153)])],
      ["processing_error", expenseForm([Buffer.alloc(0)])],
      ["processing_error", expenseForm([pdf(), Buffer.from("no document")])],
    ])("%s, and leaves nothing behind", async (code, form) => {
      const { status, body } = await submit(form);
      expect({ status, code: body.code }).toEqual({ status: 400, code });
      await expectNothingLeft();
    });

    it("reports the first violation in the stream, by the interface's codes", async () => {
      const six = Array.from({ length: 6 }, (_, index) => pdf(100 + index));
      expect((await submit(expenseForm([pdf(2_097_153), ...six]))).body.code).toBe("file_too_large");
      expect((await submit(expenseForm([Buffer.from("x"), pdf(2_097_153)]))).body.code).toBe("processing_error");
      expect((await submit(expenseForm([], { total: "-1" }))).body.code).toBe("no_files");
    });

    it("processing_error for the order in the query, and nothing is stored; other parameters are ignored", async () => {
      const order = await face.createOrder(clinic);
      const path = `/api/spot/gastos?public_key=${clinic.credentials.public_key}&rut=${CAMILA.rut}`;
      const send = (more: string) => face.call("submitExpense", `${path}&${more}`, { form: expenseForm([pdf()]) });
      const refused = await send(`skip_pay_order_id=${order}`);
      expect([refused.status, refused.body.code]).toEqual([400, "processing_error"]);
      expect(refused.body.detail).toBe("skip_pay_order_id: belongs in the body of this request, not in its query.");
      expect([await expenses(), await storedFiles()]).toEqual([[], []]);
      expect((await send("utm_source=mail&date=hoy")).body).toMatchObject({ created: true, unread_fields: [] });
    });

    it("processing_error names the file or field and the problem", async () => {
      const details: unknown[] = [];
      for (const form of [
        expenseForm([pdf(), Buffer.alloc(0)]),
        expenseForm([Buffer.from("h")]),
        expenseForm([Buffer.from("hola")]),
        expenseForm([pdf()], { skip_pay_order_id: "not-a-hash" }),
      ])
        details.push((await submit(form)).body.detail);
      expect(details).toEqual([
        'The submission could not be processed: uploaded_files: the file "boleta-2.pdf" is empty.',
        'The submission could not be processed: uploaded_files: the file "boleta-1.pdf" is neither a PDF, a photo (JPEG, PNG, HEIC, WebP) nor the XML of an electronic receipt.',
        'The submission could not be processed: uploaded_files: the file "boleta-1.pdf" is neither a PDF, a photo (JPEG, PNG, HEIC, WebP) nor the XML of an electronic receipt.',
        "The submission could not be processed: skip_pay_order_id: names no order of this provider and patient.",
      ]);
      await expectNothingLeft();
    });

    it("processing_error for an order that is unknown, another provider's, or another patient's", async () => {
      await register(MATIAS);
      const other = await face.makeProvider();
      const orders = [
        "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
        await face.createOrder(other),
        await face.createOrder(clinic, { rut: MATIAS.rut }),
      ];
      const answers: unknown[] = [];
      for (const skip_pay_order_id of orders) {
        const { body } = await submit(expenseForm([pdf()], { skip_pay_order_id }));
        expect(body.code).toBe("processing_error");
        answers.push(body);
      }
      // The answer does not reveal which of the three causes applies.
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      await expectNothingLeft();
    });

    it("processing_error if the patient has already submitted an expense for the order", async () => {
      await register(MATIAS);
      const order = await face.createOrder(clinic);
      await submit(expenseForm([pdf()], { skip_pay_order_id: order }));
      const { body } = await submit(expenseForm([pdf(500)], { skip_pay_order_id: order }), MATIAS.rut);
      expect(body.code).toBe("processing_error");
      expect(await storedFiles()).toHaveLength(1);
      expect(face.storage.files.size).toBe(1);
    });

    it("processing_error for more than thirty-two fields", async () => {
      const fields = (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, index) => [`field_${index}`, "x"]));
      expect((await submit(expenseForm([], fields(33)))).body.code).toBe("processing_error");
      expect((await submit(expenseForm([], fields(32)))).body.code).toBe("no_files");
    });

    it("processing_error for a file in another field, and for two orders", async () => {
      const form = expenseForm([]);
      form.append("receipt", new Blob([new Uint8Array(pdf())]), "boleta.pdf");
      expect((await submit(form)).body.code).toBe("processing_error");
      const two = { skip_pay_order_id: [await face.createOrder(clinic), await face.createOrder(clinic)] };
      expect((await submit(expenseForm([pdf()], two))).body.code).toBe("processing_error");
      await expectNothingLeft();
    });

    it("unreadable_body for a form without a boundary", async () => {
      const query = new URLSearchParams({ public_key: clinic.credentials.public_key, rut: CAMILA.rut });
      const answer = await face.call("submitExpense", `/api/spot/gastos?${query.toString()}`, {
        headers: { "content-type": "multipart/form-data" },
      });
      expect([answer.status, answer.body.code]).toEqual([400, "unreadable_body"]);
      await expectNothingLeft();
    });

    it("no_files for a body that is not a form", async () => {
      const query = new URLSearchParams({ public_key: clinic.credentials.public_key, rut: CAMILA.rut });
      const answer = await face.call("submitExpense", `/api/spot/gastos?${query.toString()}`, {
        body: { uploaded_files: [] },
      });
      expect(answer.body.code).toBe("no_files");
      await expectNothingLeft();
    });
  });

  describe("401", () => {
    it("invalid_provider for an unknown key, another kind of credential and an inactive provider", async () => {
      const inactive = await face.makeProvider({ active: false });
      for (const key of ["PK_unknown", clinic.credentials.client_id, inactive.credentials.public_key]) {
        const path = `/api/spot/gastos?public_key=${key}&rut=not-even-a-rut`;
        const answer = await face.call("submitExpense", path, { form: expenseForm([pdf(2_097_153)]) });
        expect(answer).toMatchObject({ status: 401, body: { code: "invalid_provider" } });
      }
    });
  });

  describe("404", () => {
    it("beneficiary_not_found takes precedence over anything in the form", async () => {
      const { status, body } = await submit(expenseForm([pdf(2_097_153)]), MATIAS.rut);
      expect({ status, code: body.code }).toEqual({ status: 404, code: "beneficiary_not_found" });
      await expectNothingLeft();
    });

    it.runIf(clinicsHaveTheirOwnPatients)(
      "beneficiary_not_found for another provider's patient in staging",
      async () => {
        const other = await face.makeProvider();
        expect((await submit(expenseForm([pdf()]), CAMILA.rut, other)).body.code).toBe("beneficiary_not_found");
      },
    );
  });

  describe("422", () => {
    it.each(["40100000-4", "40100000", "", "abc"])("validation_error for the RUT %j", async (rut) => {
      expect((await submit(expenseForm([pdf()]), rut)).body).toMatchObject({
        code: "validation_error",
        errors: [{ path: "rut" }],
      });
    });
  });

  describe("503", () => {
    it("service_unavailable when the storage accepts nothing, and nothing is left", async () => {
      face.storage.failNextPuts = 1;
      const { status, body } = await submit(expenseForm([pdf(), pdf(500)]));
      expect({ status, code: body.code }).toEqual({ status: 503, code: "service_unavailable" });
      await expectNothingLeft();
    });
  });

  describe("Idempotency-Key", () => {
    /** A request that holds its key until its lease ends. */
    const UNANSWERED = {
      status: null,
      body_sealed: null,
      lease_id: "0c0c3d4a-3f6e-4b55-8b61-0c8a6a1f0d11",
      lease_until: new Date("2099-01-01"),
    };
    const KEY = { "idempotency-key": "boleta-B-77" };
    const keyed = (form: FormData, rut: string = CAMILA.rut) => submit(form, rut, clinic, KEY);

    it("answers a repeat as the first time, and records one plain expense", async () => {
      const form = () => expenseForm([pdf()], { total: "45.952", expense_subtypes: ["consultation"] });
      const first = await keyed(form());
      const again = await keyed(form());
      expect([again.status, again.headers.get("idempotency-replayed"), again.body]).toEqual([200, "true", first.body]);
      expect(first.headers.get("idempotency-replayed")).toBeNull();
      expect([(await expenses()).length, (await storedFiles()).length, face.storage.files.size]).toEqual([1, 1, 1]);
      face.clock.advance(24 * 3_600_000 + 1);
      expect((await keyed(form())).body.id).not.toBe(first.body.id);
    });

    it("422 idempotency_key_reused for other fields, other files or another patient, and nothing is stored", async () => {
      await register({ ...MATIAS, email: "matias@example.com" });
      const first = await keyed(expenseForm([pdf()], { total: "45.952" }));
      for (const other of [
        () => keyed(expenseForm([pdf()], { total: "45.953" })),
        () => keyed(expenseForm([pdf(1_000, "y")], { total: "45.952" })),
        () => keyed(expenseForm([pdf()], { total: "45.952" }), MATIAS.rut),
      ]) {
        const { status, body } = await other();
        expect([status, body.code]).toEqual([422, "idempotency_key_reused"]);
      }
      expect((await expenses()).map(({ id }) => id)).toEqual([first.body.id]);
      expect(face.storage.files.size).toBe(1);
    });

    it("records one expense for ten concurrent submissions, and answers each with it", async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => keyed(expenseForm([pdf()]))));
      const [stored, ...others] = await expenses();
      expect(others).toEqual([]);
      expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`))).toEqual(
        new Set([`200 ${stored?.id}`]),
      );
      expect(answers.filter(({ headers }) => headers.get("idempotency-replayed") === null)).toHaveLength(1);
      expect(face.storage.files.size).toBe(1);
    });

    it("409 idempotency_in_flight while a request holds the key", async () => {
      await keyed(expenseForm([pdf()]));
      await face.db.updateTable("idempotency_keys").set(UNANSWERED).execute();
      const { status, body } = await keyed(expenseForm([pdf()]));
      expect([status, body.code]).toEqual([409, "idempotency_in_flight"]);
    });

    it("keeps no refusal: the corrected form is accepted under the same key", async () => {
      expect((await keyed(expenseForm([Buffer.from("no es un PDF")]))).body.code).toBe("processing_error");
      expect((await keyed(expenseForm([pdf()]))).body.created).toBe(true);
    });

    it("422 idempotency_key_malformed for an empty key", async () => {
      const { status, body } = await submit(expenseForm([pdf()]), CAMILA.rut, clinic, { "idempotency-key": "" });
      expect([status, body.code]).toEqual([422, "idempotency_key_malformed"]);
    });
  });

  it("removes the files of a crashed process from the storage an hour later, but none of an expense", async () => {
    await submit(expenseForm([pdf()]));
    const [kept] = await storedFiles();
    const { beginUpload } = await import("../../../src/claims/upload.ts");
    const upload = await beginUpload(face.dependencies, clinic.provider.id);
    await face.storage.put(upload.nextName(), pdf());
    for (let file = 1; file < 5; file += 1) upload.nextName();
    expect(() => upload.nextName()).toThrow(RangeError);
    face.clock.advance(59 * 60_000);
    await face.runDue();
    expect(face.storage.files.size).toBe(2);
    face.clock.advance(60_000);
    await face.runDue();
    expect([...face.storage.files.keys()]).toEqual([kept?.storage_name]);
  });

  it("answers a refused submission while the storage removes no files, and removes them later", async () => {
    const away = vi.spyOn(face.storage, "delete").mockRejectedValueOnce(new Error("The disk is away."));
    const { body } = await submit(expenseForm([pdf(), Buffer.alloc(0)]));
    expect(body.code).toBe("processing_error");
    expect(face.log()).toContain("expenses.uploads_left");
    away.mockRestore();
    expect(face.storage.files.size).toBe(1);
    face.clock.advance(3_600_000);
    await face.runDue();
    await expectNothingLeft();
  });

  it("removes a useless repeat's files later if the storage fails now, and never the expense's", async () => {
    const fields = { skip_pay_order_id: await face.createOrder(clinic) };
    await submit(expenseForm([pdf()], fields));
    const away = vi.spyOn(face.storage, "delete").mockRejectedValueOnce(new Error("The disk is away."));
    expect((await submit(expenseForm([pdf(), pdf(500)], fields))).body.processed_files).toHaveLength(2);
    away.mockRestore();
    expect(face.storage.files.size).toBe(3);
    face.clock.advance(3_600_000);
    await face.runDue();
    const kept = (await storedFiles()).map(({ storage_name }) => storage_name);
    expect([...face.storage.files.keys()].toSorted()).toEqual(kept.toSorted());
  });

  it("keeps stored files while it is unknown whether the expense was recorded, and removes them if it was not", async () => {
    const beneficiary = await findBeneficiary(face.db, {
      tenant: tenantOf(clinic.provider),
      rut: parseRut(CAMILA.rut),
    });
    if (beneficiary === null) throw new Error("No patient is registered under this RUT.");
    const dependencies = {
      ...face.dependencies,
      db: troubledDatabase(face.db, (query) => {
        if (query.includes("from orders")) throw new DatabaseUnavailable("the connection broke");
      }),
    };
    const submitter = { providerId: clinic.provider.id, beneficiary, now: START };
    const keepNothing = async () => undefined;
    const before = face.log().length;
    const submitted = submitExpense(
      dependencies,
      submitter,
      async (nextName) => {
        const reader = createFieldReader();
        reader.take("skip_pay_order_id", "3f2504e0-4f89-41d3-9a0c-0305e82c3301");
        const file = { storageName: nextName(), name: "boleta.pdf", position: 1, content: Readable.from([pdf()]) };
        return { fields: reader.fields(), files: [await receiveFile(face.storage, file)] };
      },
      keepNothing,
    );
    await expect(submitted).rejects.toThrow(DatabaseUnavailable);
    expect(face.storage.files.size).toBe(1);
    expect(face.log().slice(before)).not.toContain("expenses.uploads_left");
    face.clock.advance(3_600_000);
    await face.runDue();
    await expectNothingLeft();
  });
});
