import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ConfigInvalid } from "../platform/config-invalid.ts";
import { readConfig, readConnectorCheckConfig, readDatabaseConfig } from "./config.ts";
import { connectorName } from "./party-connectors.ts";

function refusals(environment: NodeJS.ProcessEnv): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigInvalid) return error.lines;
    throw error;
  }
  return [];
}

const production = {
  ENVIRONMENT: "production",
  FACES: "order,spot,widget",
  DATABASE_URL: "postgres://db/aapd?sslmode=verify-full",
  KEYRING_FILE: "/etc/aapd/keyring.json",
  ORDER_API_PUBLIC_URL: "https://api.pay.example",
  SPOT_API_PUBLIC_URL: "https://back.pay.example",
  WIDGET_HOST_PUBLIC_URL: "https://widget.pay.example",
  CONNECTOR_URL: "https://connector.pay.example/v1",
  CONNECTOR_TOKEN: "a-token-of-the-connector",
  CARD_CHALLENGE_ORIGIN: "https://bank.example",
  FINANCING_PROVIDER_NAME: "Financiera SpA",
  SMTP_URL: "smtps://user:p%40ss@mail.pay.example",
  MESSAGING_URL: "https://messages.pay.example/v1/",
  MESSAGING_TOKEN: "a-token-of-the-gateway",
  TRUSTED_PROXIES: "1",
  FILES_S3_BUCKET: "aapd-receipts",
};

it("an empty environment starts everything on this machine only, with the embedded database", () => {
  const config = readConfig({});
  expect(config).toMatchObject({ environment: "staging", bindAddress: "127.0.0.1", keyringFile: null });
  expect(config.faces).toEqual(["order", "spot", "widget", "operations", "sandbox"]);
  expect(config.addresses.widget).toEqual({ port: 4030, publicUrl: "http://127.0.0.1:4030" });
  expect(config.databaseUrl).toBe(config.dataDir);
  expect(config.dataDir).toMatch(/[/\\]\.data[/\\]bff$/);
});

it("each wrong variable is named in a separate line", () => {
  const lines = refusals({
    ORDER_API_PORT: "http",
    LOG_LEVEL: "loud",
    WIDGET_HOST_PUBLIC_URL: "ftp://x",
    FACES: "card",
  });
  expect(lines.map((line) => line.split(":")[0])).toEqual([
    "FACES",
    "ORDER_API_PORT",
    "WIDGET_HOST_PUBLIC_URL",
    "LOG_LEVEL",
  ]);
});

it("a wrong variable's line says what its value must be", () => {
  const lines = refusals({ PROBES_PORT: "http", TRUSTED_PROXIES: "-1", WORKERS: "some" });
  expect(lines.toSorted()).toEqual([
    "PROBES_PORT: must be a number",
    "TRUSTED_PROXIES: must be at least 0",
    'WORKERS: must be one of "all", "timers", "webhooks", "off"',
  ]);
});

it("a shared database is never assumed to belong to staging or production", () => {
  const [line] = refusals({ DATABASE_URL: "postgres://db/aapd" });
  expect(line).toBe("ENVIRONMENT: set it to the environment that DATABASE_URL belongs to, staging or production");
  expect(readConfig({ DATABASE_URL: "postgres://db/aapd", ENVIRONMENT: "staging" }).environment).toBe("staging");
});

it("a migration needs only the database and its environment", () => {
  const { ENVIRONMENT, DATABASE_URL } = production;
  expect(readDatabaseConfig({ ENVIRONMENT, DATABASE_URL, ORDER_API_PORT: "http" })).toEqual({
    environment: "production",
    databaseUrl: DATABASE_URL,
    isDatabasePooled: false,
    logLevel: "info",
  });
});

it("an empty variable counts as not set", () => {
  expect(readConfig({ DATABASE_URL: "", ENVIRONMENT: "", SPOT_API_URL: "" }).forward.spot).toBeNull();
});

it("a secret may come from a file or from its variable, but not from both", () => {
  const folder = mkdtempSync(join(tmpdir(), "aapd-secrets-"));
  const file = join(folder, "token");
  writeFileSync(file, "a-token-in-a-file-0001\n");
  writeFileSync(join(folder, "empty"), "\n");
  const { CONNECTOR_TOKEN: _token, ...rest } = production;
  expect(readConfig({ ...rest, CONNECTOR_TOKEN_FILE: file }).parties?.connectorToken).toBe("a-token-in-a-file-0001");
  expect(readConfig({ ...production, CONNECTOR_TOKEN_BEFORE_FILE: file }).parties).toMatchObject({
    connectorToken: production.CONNECTOR_TOKEN,
    connectorTokenBefore: "a-token-in-a-file-0001",
  });
  expect(refusals({ ...production, CONNECTOR_TOKEN_FILE: file })).toEqual([
    "CONNECTOR_TOKEN_FILE: CONNECTOR_TOKEN is set as well; set only one of them",
  ]);
  expect(
    refusals({
      ...rest,
      CONNECTOR_TOKEN_FILE: join(folder, "nothing"),
      SMTP_URL: "",
      SMTP_URL_FILE: join(folder, "empty"),
    }),
  ).toEqual(["CONNECTOR_TOKEN_FILE: the file cannot be read (ENOENT)", "SMTP_URL_FILE: the file is empty"]);
  writeFileSync(file, "postgres://db/aapd?sslmode=verify-full");
  expect(readDatabaseConfig({ ENVIRONMENT: "production", DATABASE_URL_FILE: file }).databaseUrl).toContain(
    "postgres://db",
  );
  rmSync(folder, { recursive: true });
});

it("a party may have a separate connector with a separate token", () => {
  const bank = {
    BANK_CONNECTOR_URL: "https://fintoc.pay.example/connector/v1/",
    BANK_CONNECTOR_TOKEN: "a-token-of-the-bank",
  };
  const connector = { baseUrl: "https://fintoc.pay.example/connector/v1", token: "a-token-of-the-bank" };
  expect(readConfig({ ...production, ...bank }).parties).toMatchObject({
    connectorToken: production.CONNECTOR_TOKEN,
    partyConnectors: { bank: connector },
  });
  expect(readConnectorCheckConfig({ ...production, ...bank }).productionUrls).toEqual([
    production.CONNECTOR_URL,
    connector.baseUrl,
  ]);
});

it("a connector that has moved with its database keeps the name of its earlier address", () => {
  const moved = "https://old.pay.example/connector/v1 https://user:secret@connector.pay.example/v1/";
  const { connectorNames } = readConfig({ ...production, CONNECTORS_MOVED: moved }).parties ?? {};
  const nameOf = (address: string) => connectorName(address, connectorNames ?? new Map());
  expect(nameOf(production.CONNECTOR_URL)).toBe("https://old.pay.example/connector/v1");
  expect(nameOf("https://user:secret@fintoc.pay.example/connector/v1/")).toBe(
    "https://fintoc.pay.example/connector/v1",
  );
  for (const twice of ["https://a.example https://b.example", "https://b.example https://c.example"])
    expect(refusals({ ...production, CONNECTORS_MOVED: `https://a.example https://c.example/,${twice}` })).toEqual([
      "CONNECTORS_MOVED: must name each earlier and each present address once",
    ]);
  for (const wrong of ["https://one.example", "https://one.example https://two.example https://three.example", "a b"])
    expect(refusals({ ...production, CONNECTORS_MOVED: wrong })).toEqual([
      "CONNECTORS_MOVED: must be pairs of addresses, separated by commas: EARLIER PRESENT, EARLIER PRESENT",
    ]);
});

it("the address that a connector has left is not given to another one, unless both were exchanged", () => {
  const { CONNECTOR_URL: left } = production;
  const CONNECTORS_MOVED = `${left} https://new.pay.example`;
  expect(refusals({ ...production, CONNECTORS_MOVED })).toEqual([
    "CONNECTOR_URL: its connector has moved, as CONNECTORS_MOVED says; use a separate address",
  ]);
  const exchanged = `${CONNECTORS_MOVED}, https://new.pay.example ${left}`;
  expect(refusals({ ...production, CONNECTORS_MOVED: exchanged })).toEqual([]);
});

it.each([
  ["a party's URL alone", { BANK_CONNECTOR_URL: "https://fintoc.pay.example" }, "BANK_CONNECTOR_TOKEN"],
  ["a party's token alone", { BANK_CONNECTOR_TOKEN: "a-token-of-the-bank" }, "BANK_CONNECTOR_URL"],
  [
    "a party's connector in the clear",
    { BANK_CONNECTOR_URL: "http://fintoc.pay.example", BANK_CONNECTOR_TOKEN: "a-token-of-the-bank" },
    "BANK_CONNECTOR_URL",
  ],
])("production refuses %s", (_what, change, variable) => {
  expect(refusals({ ...production, ...change }).map((line) => line.split(":")[0])).toEqual([variable]);
});

it("staging refuses a connector of one party without one for the others", () => {
  const bank = { BANK_CONNECTOR_URL: "http://127.0.0.1:9", BANK_CONNECTOR_TOKEN: "a-token-of-the-bank" };
  expect(refusals(bank)).toEqual(["CONNECTOR_URL: BANK_CONNECTOR_URL needs it, for the other parties"]);
});

it("production accepts a complete configuration", () => {
  expect(readConfig(production)).toMatchObject({ environment: "production", webhooks: { allowLoopback: false } });
});

it.each([
  ["the embedded database", { DATABASE_URL: "" }, "DATABASE_URL"],
  ["no keyring", { KEYRING_FILE: "" }, "KEYRING_FILE"],
  ["an http address", { ORDER_API_PUBLIC_URL: "http://api.pay.example" }, "ORDER_API_PUBLIC_URL"],
  ["no public address", { WIDGET_HOST_PUBLIC_URL: "" }, "WIDGET_HOST_PUBLIC_URL"],
  ["the sandbox", { FACES: "order,sandbox" }, "FACES"],
  ["the sandbox's parties", { CONNECTOR_URL: "" }, "CONNECTOR_URL"],
  ["the sandbox's mailbox", { SMTP_URL: "" }, "SMTP_URL"],
  ["the sandbox's telephones", { MESSAGING_URL: "" }, "MESSAGING_URL"],
  ["messages without a key", { MESSAGING_TOKEN: "" }, "MESSAGING_TOKEN"],
  ["proxies left to chance", { TRUSTED_PROXIES: "" }, "TRUSTED_PROXIES"],
  ["receipts on a disk by default", { FILES_S3_BUCKET: "" }, "FILES_S3_BUCKET"],
  ["faces left to chance", { FACES: "" }, "FACES"],
  ["webhooks to itself", { WEBHOOKS_ALLOW_LOOPBACK: "true" }, "WEBHOOKS_ALLOW_LOOPBACK"],
  ["a connector in the clear", { CONNECTOR_URL: "http://connector.pay.example" }, "CONNECTOR_URL"],
  ["messages in the clear", { MESSAGING_URL: "http://messages.pay.example" }, "MESSAGING_URL"],
  ["a bank's page in the clear", { CARD_CHALLENGE_ORIGIN: "http://bank.example" }, "CARD_CHALLENGE_ORIGIN"],
  ["calls forwarded in the clear", { ORDER_API_URL: "http://orders.internal:4010" }, "ORDER_API_URL"],
  ["receipts in the clear", { FILES_S3_ENDPOINT: "http://s3.internal" }, "FILES_S3_ENDPOINT"],
  ["a database in the clear", { DATABASE_URL: "postgres://db/aapd" }, "DATABASE_URL"],
  ["anybody's database", { DATABASE_URL: "postgres://db/aapd?sslmode=no-verify" }, "DATABASE_URL"],
  ["two minds about it", { DATABASE_URL: "postgres://db/aapd?sslmode=verify-full&sslmode=disable" }, "DATABASE_URL"],
  ["a database that only looks near", { DATABASE_URL: "postgres://127.0.0.1/aapd?host=db" }, "DATABASE_URL"],
  ["a port that browsers do not call", { WIDGET_HOST_PUBLIC_URL: "https://w.example:6000" }, "WIDGET_HOST_PUBLIC_URL"],
  ["a development server", { WIDGET_DEV_URL: "http://127.0.0.1:5173" }, "WIDGET_DEV_URL"],
])("production refuses %s", (_what, change, variable) => {
  expect(refusals({ ...production, ...change }).map((line) => line.split(":")[0])).toEqual([variable]);
});

it("production needs an explicit number of proxies and a place for receipts", () => {
  const config = readConfig({ ...production, TRUSTED_PROXIES: "0", FILES_S3_BUCKET: "", FILES_DIR: "/srv/receipts" });
  expect(config).toMatchObject({ trustedProxies: 0, files: { kind: "folder", path: "/srv/receipts" } });
});

it("local connections need no encryption", () => {
  const near = { CONNECTOR_URL: "http://127.0.0.1:9000", ORDER_API_URL: "http://[::1]:4010" };
  for (const DATABASE_URL of ["postgres://localhost/aapd", "postgres:///aapd?host=/run/postgresql"])
    expect(readConfig({ ...production, ...near, DATABASE_URL }).databaseUrl).toBe(DATABASE_URL);
});

it("a port that browsers block is refused under its variable's name, unless no browser calls it", () => {
  expect(refusals({ SPOT_API_PORT: "6667" })).toEqual([
    "SPOT_API_PORT: browsers refuse to call port 6667; use another",
  ]);
  expect(refusals({ SPOT_API_PORT: "6667", SPOT_API_PUBLIC_URL: "https://spot.example" })).toEqual([]);
  expect(refusals({ SPOT_API_PORT: "6667", FACES: "order" })).toEqual([]);
});

it.each([
  ["a secret without a bucket", { FILES_S3_SECRET_ACCESS_KEY: "s", FILES_S3_ACCESS_KEY_ID: "k" }, ["FILES_S3_BUCKET"]],
  ["an endpoint without a bucket", { FILES_S3_ENDPOINT: "https://s3.example" }, ["FILES_S3_BUCKET"]],
  ["a region without a bucket", { FILES_S3_REGION: "sa-east-1", FILES_DIR: "files" }, ["FILES_S3_BUCKET"]],
  ["a key without its secret", { FILES_S3_BUCKET: "b", FILES_S3_ACCESS_KEY_ID: "k" }, ["FILES_S3_SECRET_ACCESS_KEY"]],
  ["a secret without its key", { FILES_S3_BUCKET: "b", FILES_S3_SECRET_ACCESS_KEY: "s" }, ["FILES_S3_ACCESS_KEY_ID"]],
])("half a storage configuration is refused in every environment: %s", (_what, given, variables) => {
  expect(refusals(given).map((line) => line.split(":")[0])).toEqual(variables);
});

it.each(["ISSUER", "CLIENT_ID", "CLIENT_SECRET"])("half a sign-in service is refused: without its %s", (missing) => {
  const whole: NodeJS.ProcessEnv = {
    OPERATOR_SIGN_IN_ISSUER: "https://sign-in.example",
    OPERATOR_SIGN_IN_CLIENT_ID: "console",
    OPERATOR_SIGN_IN_CLIENT_SECRET: "a-secret",
  };
  expect(refusals(whole)).toEqual([]);
  const name = `OPERATOR_SIGN_IN_${missing}`;
  expect(refusals({ ...whole, [name]: "" })).toEqual([`${name}: the operators' sign-in service needs it`]);
});

it("the console needs an address only where it is served, and https for its sign-in", () => {
  expect(refusals({ ...production, FACES: "operations" })).toEqual(["OPERATIONS_PUBLIC_URL: production needs it"]);
  const served = { ...production, FACES: "operations", OPERATIONS_PUBLIC_URL: "https://console.example" };
  const signIn = { OPERATOR_SIGN_IN_CLIENT_ID: "console", OPERATOR_SIGN_IN_CLIENT_SECRET: "a-secret" };
  expect(refusals({ ...served, ...signIn, OPERATOR_SIGN_IN_ISSUER: "http://sign-in.example" })).toEqual([
    "OPERATOR_SIGN_IN_ISSUER: production needs an https URL, or one on this machine",
  ]);
});

it("the stamp tax is the lender's by default; an exemption names its legal basis", () => {
  expect(readConfig({}).stampTax).toEqual({ borneBy: "lender" });
  expect(readConfig({ STAMP_TAX: "commission" }).stampTax).toEqual({
    borneBy: "commission",
    monthlyPartsPerMillion: 660,
  });
  expect(readConfig({ STAMP_TAX: "exempt", STAMP_TAX_EXEMPTION: "DL 3.475, art. 24" }).stampTax).toEqual({
    borneBy: "none",
    exemption: "DL 3.475, art. 24",
  });
  expect(refusals({ STAMP_TAX: "exempt" })).toEqual([
    "STAMP_TAX_EXEMPTION: STAMP_TAX=exempt needs the legal basis, which contracts name",
  ]);
  expect(refusals({ STAMP_TAX_EXEMPTION: "DL 3.475" })).toEqual(["STAMP_TAX_EXEMPTION: only with STAMP_TAX=exempt"]);
});

it("an SMTP address states its encryption", () => {
  expect(readConfig(production).smtp).toMatchObject({
    port: 465,
    security: "tls",
    credentials: { user: "user", password: "p@ss" },
  });
  expect(readConfig({ SMTP_URL: "smtp://127.0.0.1:1025?security=none" }).smtp).toMatchObject({ security: "none" });
  const inProduction = { ...production, SMTP_URL: "smtp://mail.pay.example?security=none" };
  expect(readConfig(inProduction).smtp).toMatchObject({ port: 587, security: "starttls" });
});

it("messages go to the configured gateway, which is never half configured", () => {
  expect(readConfig({}).messaging).toBeNull();
  expect(readConfig(production).messaging).toEqual({
    baseUrl: "https://messages.pay.example/v1",
    token: "a-token-of-the-gateway",
  });
  expect(refusals({ MESSAGING_URL: "http://127.0.0.1:9" })).toEqual([
    "MESSAGING_TOKEN: the gateway for messages needs it; set neither to use the sandbox's",
  ]);
  expect(refusals({ CONNECTOR_URL: "http://127.0.0.1:9" }).map((line) => line.split(":")[0])).toContain(
    "MESSAGING_URL",
  );
});

it("relative folders are resolved against the folder in which the command was called", () => {
  expect(readConfig({ INIT_CWD: "/srv/aapd", DATA_DIR: "data" }).dataDir).toBe("/srv/aapd/data");
});
