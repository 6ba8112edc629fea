import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import * as z from "zod/mini";
import { commonErrors, type Endpoint } from "../src/contract/endpoint.ts";
import { readAnswers, tableOf } from "./answers.ts";

const endpoint: Endpoint = {
  method: "GET",
  path: "/orders/{hash}",
  family: "order",
  caller: "partner",
  credentials: ["client_secret"],
  summary: "",
  description: "",
  success: { 200: z.object({}) },
  errors: ["order_not_found", "invalid_credential"],
};
const seen = { endpoint: "GET /orders/{hash}", status: 404, code: "order_not_found", file: "a.test.ts", test: "t" };

it("the table lists every documented answer once, by status, with only the answers that tests have seen", () => {
  const table = tableOf([endpoint], [seen, { ...seen, status: 409 }, { ...seen, endpoint: "PUT /orders/{hash}" }]);
  expect(table.map(({ status, code }) => [status, code])).toEqual([
    [200, null],
    [401, "invalid_credential"],
    [404, "order_not_found"],
    [429, "rate_limited"],
    [500, "internal_error"],
    [503, "service_unavailable"],
  ]);
  expect(table).toHaveLength(1 + endpoint.errors.length + commonErrors(endpoint).length);
  expect(table.filter((row) => row.seen.length > 0)).toEqual([
    { endpoint: seen.endpoint, status: 404, code: "order_not_found", seen: [seen] },
  ]);
});

it("answers of all processes are read, and a missing folder has none", () => {
  const folder = mkdtempSync(join(tmpdir(), "answers-"));
  const line = `${JSON.stringify(seen)}\n`;
  writeFileSync(join(folder, "1.ndjson"), line + line);
  writeFileSync(join(folder, "2.ndjson"), line);
  writeFileSync(join(folder, "other.txt"), "not ours");
  expect(readAnswers(folder)).toEqual([seen, seen, seen]);
  rmSync(folder, { recursive: true });
  expect(readAnswers(folder)).toEqual([]);
});
