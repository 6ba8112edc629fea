import { describe, expect, it } from "vitest";
import { createFieldReader } from "./expense-fields.ts";

function read(name: string, value: string) {
  const reader = createFieldReader();
  return { issue: reader.take(name, value), fields: reader.fields() };
}

describe("the fields of an expense", () => {
  it.each([
    ["21/11/2026", "2026-11-21"],
    ["21-11-2026", "2026-11-21"],
    ["2026-11-21", "2026-11-21"],
    ["2026-11-21T10:30:00.000Z", "2026-11-21"],
    ["2026-11-21T23:30:00-03:00", "2026-11-21"],
    ["2026-01-02T01:00:00Z", "2026-01-01"],
    ["2026-01-02T01:00:00.123456789Z", "2026-01-01"],
    ["2026-07-02T03:59:59Z", "2026-07-01"],
    ["2026-07-02T04:00Z", "2026-07-02"],
    ["2026-01-01T22:30:00-0600", "2026-01-02"],
    ["2026-01-02T01:00:00", "2026-01-02"],
    ["2026-01-02T00:00:00.000Z", "2026-01-02"],
    [" 29/02/2028 ", "2028-02-29"],
  ])("reads the date %s", (text, day) => {
    expect(read("date", text)).toMatchObject({ issue: null, fields: { date: day } });
  });

  it.each([
    "29/02/2026",
    "31/04/2026",
    "00/01/2026",
    "1/1/2026",
    "11/21/2026",
    "2026-13-01",
    "21.11.2026",
    "0001-01-01",
    "hoy",
    "21/11/26",
    "2026-02-30T10:00:00Z",
    "2026-01-02T25:00:00Z",
    "2026-01-02T10:00:00+99:00",
  ])("refuses the date %s", (text) => {
    expect(read("date", text).issue?.path).toBe("date");
  });

  it.each([
    ["45952", 45_952],
    ["45.952", 45_952],
    ["$45.952", 45_952],
    ["$ 1.234.567", 1_234_567],
    ["0", 0],
    ["999999999", 999_999_999],
  ])("reads the total %s", (text, total) => {
    expect(read("total", text)).toMatchObject({ issue: null, fields: { total } });
  });

  it.each(["-1", "45,952", "45.95", "4.5952", "1e3", "10.0", "1000000000", "$", "CLP 10", "٣"])(
    "refuses the total %s",
    (text) => {
      expect(read("total", text).issue?.path).toBe("total");
    },
  );

  it("reads RUTs in any common form, a company's for the issuer and a person's for the doctor", () => {
    expect(read("receipt_rut", "76.900.001-1").fields.receiptRut).toBe("76900001-1");
    expect(read("doctor_rut", "12.345.678-5").fields.doctorRut).toBe("12345678-5");
    expect(read("doctor_rut", "76.900.001-1").issue?.path).toBe("doctor_rut");
    expect(read("receipt_rut", "12.345.678-K").issue?.path).toBe("receipt_rut");
  });

  it("ignores whitespace around the order's hash", () => {
    const hash = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
    expect(read("skip_pay_order_id", `  ${hash.toUpperCase()}\n`).fields.orderId).toBe(hash);
    expect(read("skip_pay_order_id", "order-1").fields.orderId).toBe("unreadable");
  });

  it("takes an empty value for one that was not sent, so that an empty hash makes a plain expense", () => {
    for (const name of ["name", "date", "receipt_id", "receipt_rut", "doctor_rut", "total", "skip_pay_order_id"])
      expect(read(name, "  ").issue).toBeNull();
    expect(read("skip_pay_order_id", " ").fields.orderId).toBeNull();
  });

  it("refuses a field that comes twice, because it could be read in two ways", () => {
    const reader = createFieldReader();
    expect(reader.take("total", "1")).toBeNull();
    expect(reader.take("total", "1")?.path).toBe("total");
  });

  it("collects subtypes and refuses unknown ones", () => {
    const reader = createFieldReader();
    for (const subtype of ["exam", "medicine", "exam"]) expect(reader.take("expense_subtypes", subtype)).toBeNull();
    expect(reader.fields().subtypes).toEqual(["exam", "medicine"]);
    expect(reader.take("expense_subtypes", "surgery")?.path).toBe("expense_subtypes");
  });

  it("refuses texts that are too long or hold control characters, and ignores fields that it does not know", () => {
    expect(read("name", "x".repeat(256)).issue?.path).toBe("name");
    expect(read("receipt_id", "a\u0000b").issue?.path).toBe("receipt_id");
    expect(read("name", "María José O'Ryan Díaz").fields.name).toBe("María José O'Ryan Díaz");
    expect(read("__proto__", "x").issue).toBeNull();
    expect(read("favourite_colour", "x".repeat(10_000)).issue).toBeNull();
  });
});
