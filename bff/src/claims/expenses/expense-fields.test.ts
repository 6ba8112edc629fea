import { describe, expect, it } from "vitest";
import { createFieldReader, unreadAfter } from "./expense-fields.ts";

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
    ["1/5/2026", "2026-05-01"],
    ["21/11/26", "2026-11-21"],
    ["21.11.2026", "2026-11-21"],
    ["20261121", "2026-11-21"],
  ])("parse the date %s", (text, day) => {
    expect(read("date", text)).toMatchObject({ issue: null, fields: { date: day, unread: {} } });
  });

  it.each([
    "29/02/2026",
    "31/04/2026",
    "00/01/2026",
    "11/21/2026",
    "2026-13-01",
    "0001-01-01",
    "hoy",
    "21/11-2026",
    "20261321",
    "2026-02-30T10:00:00Z",
    "2026-01-02T25:00:00Z",
    "2026-01-02T10:00:00+99:00",
    "9999-12-31T23:00:00-12:00",
  ])("keep the date %s as received", (text) => {
    expect(read("date", text)).toMatchObject({ issue: null, fields: { date: null, unread: { date: text } } });
  });

  it.each([
    ["45952", 45_952],
    ["45.952", 45_952],
    ["$45.952", 45_952],
    ["$ 1.234.567", 1_234_567],
    ["0", 0],
    ["999999999", 999_999_999],
    ["40000.00", 40_000],
    ["40,000", 40_000],
    ["40.000,00", 40_000],
    ["$40.000.-", 40_000],
    ["CLP 10", 10],
    ["10.0", 10],
  ])("parse the total %s", (text, total) => {
    expect(read("total", text)).toMatchObject({ issue: null, fields: { total, unread: {} } });
  });

  it.each(["-1", "12,5", "45.95", "4.5952", "1.234,567", "1e3", "1000000000", "$", "٣"])(
    "keep the total %s as received",
    (text) => {
      expect(read("total", text)).toMatchObject({ issue: null, fields: { total: null, unread: { total: text } } });
    },
  );

  it("include RUTs of people and companies, for the issuer and the doctor", () => {
    expect(read("receipt_rut", "76.900.001-1").fields.receiptRut).toBe("76900001-1");
    expect(read("doctor_rut", "12.345.678-5").fields.doctorRut).toBe("12345678-5");
    expect(read("doctor_rut", "76.900.001-1").fields.doctorRut).toBe("76900001-1");
    for (const rut of ["12.345.678-K", "13656606"])
      expect(read("receipt_rut", rut).fields).toMatchObject({ receiptRut: null, unread: { receipt_rut: rut } });
  });

  it("ignore whitespace around the order's hash", () => {
    const hash = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
    expect(read("skip_pay_order_id", `  ${hash.toUpperCase()}\n`).fields.orderId).toBe(hash);
    expect(read("skip_pay_order_id", "order-1").fields.orderId).toBe("unreadable");
  });

  it("treat an empty value as not sent, so that an empty hash gives an expense without an order", () => {
    for (const name of ["name", "date", "receipt_id", "receipt_rut", "doctor_rut", "total", "skip_pay_order_id"])
      expect(read(name, "  ").issue).toBeNull();
    expect(read("skip_pay_order_id", " ").fields.orderId).toBeNull();
  });

  it("accept a field sent twice with one value, and keep both texts if they differ", () => {
    const reader = createFieldReader();
    for (const total of ["1", "1"]) expect(reader.take("total", total)).toBeNull();
    expect(reader.fields()).toMatchObject({ total: 1, unread: {} });
    expect(reader.take("total", "2")).toBeNull();
    expect(reader.fields()).toMatchObject({ total: null, unread: { total: "1, 2" } });
    expect(reader.take("total", "3")).toBeNull();
    expect(reader.fields()).toMatchObject({ total: null, unread: { total: "1, 2, 3" } });
  });

  it("keep the beginning of a truncated field, but not a truncated order hash", () => {
    const reader = createFieldReader();
    for (const name of ["name", "expense_subtypes[]", "favourite_colour"])
      expect(reader.leave(name, "beginning")).toBeNull();
    expect(reader.fields()).toMatchObject({
      name: null,
      unread: { name: "beginning", expense_subtypes: "beginning" },
    });
    expect(reader.fields().unread).not.toHaveProperty("favourite_colour");
    expect(reader.leave("skip_pay_order_id[0]", "3f2504e0")?.path).toBe("skip_pay_order_id");
  });

  it("may not have two order hashes, because the receipt could belong to either", () => {
    const reader = createFieldReader();
    expect(reader.take("skip_pay_order_id", "a")).toBeNull();
    expect(reader.take("skip_pay_order_id", "b")?.path).toBe("skip_pay_order_id");
    expect(reader.leave("skip_pay_order_id", "c")?.path).toBe("skip_pay_order_id");
  });

  it("collect subtypes, also in PHP's notation, and keep unknown ones as received", () => {
    const reader = createFieldReader();
    for (const subtype of ["exam", "medicine", "exam"]) expect(reader.take("expense_subtypes[]", subtype)).toBeNull();
    for (const subtype of ["surgery", "cure"]) expect(reader.take("expense_subtypes", subtype)).toBeNull();
    expect(reader.fields()).toMatchObject({
      subtypes: ["exam", "medicine"],
      unread: { expense_subtypes: "surgery, cure" },
    });
  });

  it("keep as much as possible of texts that are too long or contain control characters", () => {
    expect(read("name", "x".repeat(2_000)).fields).toMatchObject({ name: null, unread: { name: "x".repeat(1_000) } });
    expect(read("name", "x".repeat(255)).fields).toMatchObject({ name: "x".repeat(255), unread: {} });
    expect(read("name", "x".repeat(256)).fields).toMatchObject({ name: null, unread: { name: "x".repeat(256) } });
    expect(read("receipt_id", "a\u0000b").fields.unread).toEqual({ receipt_id: "a b" });
    expect(read("date", "4051 8856 0044 6623").fields.unread).toEqual({ date: "•••• •••• •••• ••••" });
    expect(read("name", "María José O'Ryan Díaz").fields.name).toBe("María José O'Ryan Díaz");
  });

  it("may include unknown ones, which are ignored", () => {
    for (const name of ["__proto__", "favourite_colour"])
      expect(read(name, "x".repeat(10_000))).toMatchObject({ issue: null, fields: { unread: {} } });
  });

  it("unreadAfter drops a field that a repeat made readable", () => {
    const again = createFieldReader();
    again.take("total", "40000");
    again.take("date", "hoy");
    expect(unreadAfter({ total: "12,5", date: "ayer" }, again.fields())).toEqual({ date: "ayer" });
  });

  it.each([
    ["name", "Camila"],
    ["date", "21/11/2026"],
    ["receipt_id", "B-77"],
    ["receipt_rut", "76.900.001-1"],
    ["doctor_rut", "12.345.678-5"],
    ["total", "40000"],
    ["expense_subtypes", "exam"],
  ] as const)("unreadAfter drops only %s if the repeat's value can be read", (name, value) => {
    const unread = {
      name: "",
      date: "",
      receipt_id: "",
      receipt_rut: "",
      doctor_rut: "",
      total: "",
      expense_subtypes: "",
    };
    const { [name]: _, ...others } = unread;
    const again = createFieldReader();
    expect(unreadAfter(unread, again.fields())).toEqual(unread);
    again.take(name, value);
    expect(unreadAfter(unread, again.fields())).toEqual(others);
  });

  it("unreadAfter keeps kinds of service that the repeat reads only in part", () => {
    const again = createFieldReader();
    for (const subtype of ["exam", "surgery"]) again.take("expense_subtypes", subtype);
    expect(unreadAfter({ expense_subtypes: "cure" }, again.fields())).toEqual({ expense_subtypes: "cure" });
  });
});
