import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectorCommands } from "../../../connectors/kit/connector-commands.ts";
import { runCommand } from "../../../src/app/run-command.ts";
import { CONNECTOR_PROTOCOL_VERSION } from "../../../src/gateways/connector/protocol.ts";
import { type StartedGateways, startGateways } from "../gateways/start-gateways.ts";

/* `aapd connector check` as a connector's author types it. `connector-check.test.ts` tests its findings. */
let gateways: StartedGateways;
let folder: string;
beforeAll(async () => {
  gateways = await startGateways();
  folder = await mkdtemp(join(tmpdir(), "aapd-connector-"));
});
afterAll(async () => {
  await gateways.stop();
  await rm(folder, { recursive: true, force: true });
});

const url = () => `${gateways.origin}/connector/v1`;

const check = (args: readonly string[], variables?: NodeJS.ProcessEnv) => run(["check", ...args], variables);

async function run(args: readonly string[], variables: NodeJS.ProcessEnv = {}) {
  const out: string[] = [];
  const error: string[] = [];
  const terminal = {
    environment: { CONNECTOR_TOKEN: gateways.token, ...variables },
    write: (text: string) => void out.push(text),
    writeError: (text: string) => void error.push(text),
  };
  const code = await runCommand(terminal, ["connector", ...args], [connectorCommands]);
  return { code, out: out.join(""), error: error.join("") };
}

describe("a connector that conforms", () => {
  it("passes with exit code 0, after a warning that it was charged", async () => {
    const ran = await check([url(), "--environment", "test", "--party", "bank"]);
    expect(ran.error).toContain("this charges, lends and pays there");
    expect(ran.out).toMatch(/\d+ passed, 0 failed, 2 not checked\.\nThe connector passed every check/);
    expect(ran.code).toBe(0);
  });

  it("passes in JSON, check by check", async () => {
    const ran = await check([url(), "--environment", "test", "--party", "bank", "--json"]);
    const report: unknown = JSON.parse(ran.out);
    expect(report).toMatchObject({ verdict: "conforms", parties: ["bank"], failed: 0, not_checked: 2 });
    expect(report).toHaveProperty("findings.0", {
      operation: "/bank/transfer",
      check: "good-call",
      expected: "sent, with the amount that was asked for",
      came: "as expected",
      result: "passed",
    });
  });

  it("is checked with the test environment's own values", async () => {
    const file = join(folder, "values.json");
    await writeFile(file, JSON.stringify({ amount: 5_000, refused_account_number: null }));
    const ran = await check([url(), "--environment", "test", "--party", "bank", "--values", file, "--json"]);
    expect(JSON.parse(ran.out)).toMatchObject({ verdict: "conforms", not_checked: 3 });
  });
});

it("a connector that does not conform gets a complete report and exit code 1", async () => {
  const file = join(folder, "another.json");
  await writeFile(file, JSON.stringify({ refused_account_number: "12345678" }));
  const ran = await check([url(), "--environment", "test", "--party", "bank", "--values", file]);
  expect(ran.code).toBe(1);
  expect(ran.out).toContain(
    "FAILED  /bank/transfer  refused-account\n    expected: refused, with a reason\n    came: status 200",
  );
  expect(ran.out).toContain("The connector does not conform");
});

describe("a check that sends nothing", () => {
  it.each<[string, (file: string) => readonly string[], NodeJS.ProcessEnv, string]>([
    ["without naming a test environment", () => [url()], {}, "--environment test"],
    ["for another environment", () => [url(), "--environment", "production"], {}, "Allowed choices are test"],
    [
      "in the clear to another machine",
      () => ["http://connector.example", "--environment", "test"],
      {},
      "must use https",
    ],
    ["to an invalid address", () => ["connector", "--environment", "test"], {}, "not a URL"],
    ["without a token", () => [url(), "--environment", "test"], { CONNECTOR_TOKEN: "" }, "CONNECTOR_TOKEN"],
    ["for an unknown party", () => [url(), "--environment", "test", "--party", "casino"], {}, "Unknown party: casino"],
    ["with invalid values", (file) => [url(), "--environment", "test", "--values", file], {}, "amount"],
    [
      "with a missing file of values",
      () => [url(), "--environment", "test", "--values", "/nowhere/values.json"],
      {},
      "cannot be read",
    ],
  ])("%s", async (_name, args, variables, words) => {
    const file = join(folder, "bad.json");
    await writeFile(file, JSON.stringify({ amount: "many" }));
    const ran = await check(args(file), variables);
    expect(ran.error).toContain(words);
    expect(ran.out).toBe("");
    expect(ran.code).toBe(1);
  });

  it("is one of production's own connector, even with --environment test", async () => {
    const variables = { ENVIRONMENT: "production", CONNECTOR_URL: url() };
    const ran = await check([url(), "--environment", "test"], variables);
    expect(ran.error).toContain("production's connector");
    expect(ran.code).toBe(1);
  });
});

it("the protocol is printed as a document with every call of the reference, in any environment", async () => {
  const { code, out } = await run(["protocol"], { CONNECTOR_TOKEN: "" });
  const { openapi, info, paths } = JSON.parse(out);
  expect([code, openapi, info.version]).toEqual([0, "3.1.0", CONNECTOR_PROTOCOL_VERSION]);
  const headers = { authorization: `Bearer ${gateways.token}`, "content-type": "application/json" };
  for (const path of Object.keys(paths)) {
    const answer = await fetch(`${url()}${path}`, { method: "POST", headers, body: "[]" });
    // Refused because of its body, which shows that the call exists as documented.
    expect([path, answer.status]).toEqual([path, 422]);
  }
  const undeclared = await fetch(`${url()}/card-processor/register-stored-card/inquiry`, {
    method: "POST",
    headers,
    body: "[]",
  });
  expect(undeclared.status).toBe(404);
});
