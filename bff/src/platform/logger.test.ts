import { expect, it } from "vitest";
import { allowedFields, createLogger, type LogFields, type LogLevel } from "./logger.ts";

/** Samples of values that must never reach a log. */
const planted = [
  "12.345.678-5",
  "12345678-5",
  "camila.rojas@example.com",
  "+56912345678",
  "4051 8856 0044 6623",
  "4051885600446623",
  "123.456.789",
  "Camila Rojas Fuentes",
  "cs_c2VjcmV0LW9mLXRoZS1jbGluaWM",
  "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
];

function logged(write: (logger: ReturnType<typeof createLogger>) => void, level: LogLevel = "debug"): string {
  const lines: string[] = [];
  write(createLogger({ level, destination: { write: (line) => lines.push(line) } }));
  return lines.join("");
}

it("a log line holds time, level, event and the allowed fields", () => {
  const line = JSON.parse(
    logged((logger) =>
      logger.child({ request_id: "abc-1" }).info("http.finished", { status: 201, route: "/orders/:hash" }),
    ),
  );
  expect(line).toMatchObject({
    level: "info",
    event: "http.finished",
    request_id: "abc-1",
    status: 201,
    route: "/orders/:hash",
  });
  expect(Date.parse(line.time)).not.toBeNaN();
});

it("a service's log line names the process and build that wrote it", () => {
  const lines: string[] = [];
  const program = { version: "1.2.3", commit: "3f5ee944" };
  const logger = createLogger({ level: "info", program, destination: { write: (line) => lines.push(line) } });
  logger.child({ request_id: "abc-1" }).info("http.request");
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ ...program, process_id: process.pid, request_id: "abc-1" });
});

it("a field that is not allowed does not reach the log, however deeply it is nested", () => {
  const person = {
    rut: planted[0],
    customer: { email: planted[2], names: [planted[7]] },
    headers: { authorization: planted[8] },
  };
  const fields: LogFields = Object.assign({ status: 200 }, person, { error: Object.assign(new Error("no"), person) });
  const text = logged((logger) => logger.warn("order.refused", fields));
  for (const value of planted) expect(text).not.toContain(value);
  expect(JSON.parse(text)).toMatchObject({ status: 200, error: { name: "Error" } });
});

it("an allowed field is logged only if its value has the declared shape", () => {
  for (const value of planted) {
    const fields = allowedFields({
      route: `/orders?rut=${value}`,
      provider_id: value,
      status: value,
      error: value,
      due_at: value,
      method: value,
    });
    for (const shown of planted) expect(JSON.stringify(fields)).not.toContain(shown);
  }
  expect(allowedFields({ status: "200", forced: 1 })).toEqual({ status: "[hidden]", forced: "[hidden]" });
});

it("the name of a log event cannot carry a value", () => {
  for (const value of planted) expect(logged((logger) => logger.info(`refused ${value}`))).not.toContain(value);
});

it("a logged error and its causes show name, code and frames, never the message", () => {
  for (const value of planted) {
    const cause = Object.assign(new TypeError(`Key (rut)=(${value}) already exists.`), {
      code: "23505",
      constraint: "people_rut_key",
      detail: value,
    });
    const error = new Error(`could not store ${value}\n    at planted (/${value}:1:1)`, { cause });
    const text = logged((logger) => logger.error("people.failed", { error }));
    expect(text).not.toContain(value);
    const described = JSON.parse(text).error;
    expect(described).toMatchObject({
      name: "Error",
      cause: { name: "TypeError", code: "23505", constraint: "people_rut_key" },
    });
    expect(described.stack[0]).toContain("logger.test.ts");
  }
});

it("thrown values that are not errors, and errors that cause each other, do not break the log", () => {
  const [a, b] = [new Error("a"), new Error("b")];
  a.cause = b;
  b.cause = a;
  expect(JSON.parse(logged((logger) => logger.error("odd", { error: a }))).error.cause.cause.name).toBe("Error");
  expect(JSON.parse(logged((logger) => logger.error("odd", { error: "text" }))).error).toEqual({
    name: "string",
    stack: [],
  });
});

it("a changed error message does not expose the original one in the log", () => {
  const error = new Error(`first ${planted[2]}`);
  void error.stack;
  error.message = "second";
  expect(logged((logger) => logger.error("odd", { error }))).not.toContain(planted[2]);
});

it("the logger drops lines below its level", () => {
  expect(logged((logger) => logger.info("start"), "warn")).toBe("");
});
