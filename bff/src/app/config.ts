import { resolve } from "node:path";
import * as z from "zod";
import type { OpenIdConfig } from "../back-office/dependencies.ts";
import { isBlockedByBrowsers } from "../contract/vocabulary/blocked-ports.ts";
import { DOCUMENT_SERIAL_PATTERN } from "../contract/vocabulary/document-serial.ts";
import type { ConnectorConfig } from "../gateways/connector.ts";
import type { FileLocation } from "../gateways/open-file-storage.ts";
import type { SmtpConfig } from "../gateways/smtp-adapter.ts";
import type { OrdersDependencies } from "../orders/dependencies.ts";
import type { AnnualCostTerms } from "../orders/quote.ts";
import { ConfigInvalid } from "../platform/config-invalid.ts";
import { issueWords } from "../platform/http/issue-words.ts";
import { isLoopbackAddress } from "../platform/http/network.ts";
import type { LogLevel } from "../platform/logger.ts";
import { packageFolder } from "../platform/program.ts";
import type { Environment } from "../platform/provider.ts";
import {
  composePartyConnectors,
  movedConnectorRefusals,
  movedConnectors,
  PARTY_CONNECTOR_URLS,
  type PartyConnectors,
  partyConnectorRefusals,
  partyConnectorVariables,
} from "./party-connectors.ts";
import { readSecretFiles } from "./secret-files.ts";

/**
 * The HTTP servers that one process can run. `operations` is the operators' console, which no partner or patient
 * reaches; `sandbox` is the sandbox's own host, which production does not have.
 */
export const FACES = ["order", "spot", "widget", "operations", "sandbox"] as const;
export type Face = (typeof FACES)[number];

/** The background work that one process does. */
export const WORKERS = ["all", "timers", "webhooks", "off"] as const;

export interface FaceAddress {
  readonly port: number;
  /** Its URL from outside, without a slash at the end. */
  readonly publicUrl: string;
}

export interface Config {
  readonly environment: Environment;
  readonly faces: readonly Face[];
  readonly workers: (typeof WORKERS)[number];
  readonly bindAddress: string;
  /** The port of `/healthz`, `/readyz` and `/metrics`; null if every face serves the first two and metrics are off. */
  readonly probesPort: number | null;
  /** Where spans are sent (OTLP over HTTP), and the service name; null if they are not sent. */
  readonly traces: { readonly url: string; readonly serviceName: string } | null;
  /** The commit of this build, for logs, metrics and `/healthz`; null for the release's commit, if there is one. */
  readonly commit: string | null;
  readonly addresses: Readonly<Record<Face, FaceAddress>>;
  /** The APIs to which the widget host forwards the calls on its allow-list; null if it answers them itself. */
  readonly forward: { readonly order: string | null; readonly spot: string | null };
  /** `postgres://…`, or the folder of the embedded database. */
  readonly databaseUrl: string;
  readonly databaseConnectionsMax: number;
  /** Whether a pooler in transaction mode is in front of PostgreSQL. */
  readonly isDatabasePooled: boolean;
  readonly dataDir: string;
  /** The folder in which the command was typed: relative paths start from it. */
  readonly workingDir: string;
  /** Null if staging creates a keyring in the data folder. */
  readonly keyringFile: string | null;
  readonly logLevel: LogLevel;
  /** The number of trusted proxies in front of this process, whose `X-Forwarded-*` headers are used. */
  readonly trustedProxies: number;
  readonly widgetDist: string;
  /** The URL of Vite's development server, used instead of the built widget. */
  readonly widgetDevUrl: string | null;
  readonly webhooks: { readonly signatureWord: string; readonly allowLoopback: boolean };
  /** Whether `gastos-url` may fetch from this machine. */
  readonly expenseUrlsAllowLoopback: boolean;
  /** The regular expression for an identity document's serial, after spaces, dots and dashes were removed. */
  readonly documentSerialPattern: string;
  /** How long a payment request waits for the gateways before it answers `processing`. */
  readonly paymentAnswerWithinMs: number;
  readonly annualCost: AnnualCostTerms;
  readonly stampTax: OrdersDependencies["stampTax"];
  readonly files: FileLocation;
  /** The real gateways; null for the sandbox's. */
  readonly parties: GatewaysConfig | null;
  /** Operators file the claims in the console, and no patient is asked for a portal password. */
  readonly insurerByHand: boolean;
  /** Null if mails are sent to the sandbox's mailbox. */
  readonly smtp: SmtpConfig | null;
  /** The gateway for messages to telephones; null if they are sent to the sandbox's mailbox. */
  readonly messaging: Pick<ConnectorConfig, "baseUrl" | "token"> | null;
  /** The operator's token for the command line; servers need none. */
  readonly operatorToken: string | null;
  /** The operators' own sign-in service (OpenID Connect); null if they sign in by links of the command line. */
  readonly operatorSignIn: OpenIdConfig | null;
  readonly shutdownTimeoutMs: number;
  /** How long a stopping process keeps serving while it reports that it is not ready. */
  readonly drainMs: number;
  /** Whether a tenant of the sandbox may kill this process, to verify that nothing is lost. */
  readonly sandboxMayKill: boolean;
}

/** Where the gateways' connectors are, with the settings about gateways that patients or pages see. */
export interface GatewaysConfig {
  readonly connectorUrl: string;
  readonly connectorToken: string;
  /** The token that is being replaced; callbacks signed with it are still accepted. */
  readonly connectorTokenBefore: string | null;
  readonly partyConnectors: PartyConnectors;
  /** The names of connectors that differ from their addresses, by address. */
  readonly connectorNames: ReadonlyMap<string, string>;
  readonly challengeOrigin: string;
  readonly financingProviderName: string;
  /**
   * Whether calls to a gateway stop for a while after repeated failures. Off for the sandbox, where the faults that one
   * tenant simulates must not affect the others.
   */
  readonly hasCircuit: boolean;
}

const port = z.coerce.number().int().min(0).max(65_535);
const httpUrl = z
  .url({ protocol: /^https?$/, error: "must be an http or https URL" })
  .transform((text) => text.replace(/\/+$/, ""));
const flag = z.enum(["true", "false"]).transform((text) => text === "true");

/**
 * Shorter than the widget host and the proxy in front wait, and than the lease of an `Idempotency-Key`
 * (`DEFAULT_LEASE_MS`). `test/deployment.test.ts` compares them.
 */
export const PAYMENT_ANSWER_WITHIN_SECONDS_MAX = 12;

/**
 * `config-document.ts` generates the reference from the descriptions; `unset` describes what happens without a default.
 */
export const schema = z.object({
  ENVIRONMENT: z.enum(["staging", "production"]).optional().meta({
    description:
      "`staging` or `production`. A database that one has used is opened by no process of the other; only staging has the sandbox.",
    unset: "`staging`; required with `DATABASE_URL`",
  }),
  FACES: z
    .string()
    .transform((text) => text.split(",").map((face) => face.trim()))
    .pipe(z.array(z.enum(FACES)).min(1))
    .optional()
    .meta({
      description:
        "What this process serves: `order`, `spot`, `widget`, `operations`, `sandbox`, separated by commas. Required in production.",
      unset: "all",
    }),
  WORKERS: z
    .enum(WORKERS)
    .default("all")
    .meta({ description: "Work besides requests: `all`, `timers`, `webhooks` or `off`." }),
  BIND_ADDRESS: z
    .union([z.ipv4(), z.ipv6(), z.literal("localhost")])
    .default("127.0.0.1")
    .meta({ description: "The address to listen on." }),
  ORDER_API_PORT: port.default(4010).meta({ description: "Port of the order API." }),
  SPOT_API_PORT: port.default(4020).meta({ description: "Port of the spot API." }),
  WIDGET_HOST_PORT: port.default(4030).meta({ description: "Port of the widget host." }),
  OPERATIONS_PORT: port.default(4060).meta({ description: "Port of the operators' console." }),
  SANDBOX_PARTIES_PORT: port.default(4040).meta({ description: "Port of the sandbox." }),
  PROBES_PORT: port.optional().meta({
    description:
      "A separate port for `/healthz`, `/readyz` and `/metrics`. Let only supervisors, load balancers and Prometheus reach it.",
    unset: "probes on every port, no metrics",
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl
    .optional()
    .meta({ description: "OpenTelemetry collector for spans, such as `http://127.0.0.1:4318`.", unset: "no spans" }),
  OTEL_SERVICE_NAME: z
    .string()
    .regex(/^[\w.-]{1,64}$/, "must be a name of letters, digits, dots and dashes")
    .default("aapd")
    .meta({ description: "The service's name in spans." }),
  COMMIT: z
    .string()
    .regex(/^[0-9a-f]{7,40}$/, "must be a commit, such as 3f5ee944")
    .optional()
    .meta({ description: "The commit of this build, for logs, metrics and `/healthz`.", unset: "the release's" }),
  ORDER_API_PUBLIC_URL: httpUrl
    .optional()
    .meta({ description: "The order API's address from outside.", unset: "from the port" }),
  SPOT_API_PUBLIC_URL: httpUrl
    .optional()
    .meta({ description: "The spot API's address from outside.", unset: "from the port" }),
  WIDGET_HOST_PUBLIC_URL: httpUrl
    .optional()
    .meta({ description: "The widget host's address from outside.", unset: "from the port" }),
  OPERATIONS_PUBLIC_URL: httpUrl.optional().meta({
    description:
      "The console's address for operators; needed by a process that serves it and by `aapd operator sign-in`.",
    unset: "from the port",
  }),
  SANDBOX_PARTIES_PUBLIC_URL: httpUrl
    .optional()
    .meta({ description: "The sandbox's address from outside. Staging only.", unset: "from the port" }),
  ORDER_API_URL: httpUrl.optional().meta({
    description: "Where a separate widget host forwards order calls: straight to the API.",
    unset: "answered by this process",
  }),
  SPOT_API_URL: httpUrl.optional().meta({ description: "The same for spot calls.", unset: "answered by this process" }),
  DATABASE_URL: z.string().min(1).optional().meta({
    description:
      "PostgreSQL 15 or newer, `postgres://…`. Production needs it, with `sslmode=verify-full` unless on this machine (your own CA: `sslrootcert=/path`).",
    unset: "the embedded database in `DATA_DIR`",
  }),
  DATABASE_POOLER: z
    .enum(["none", "transaction"])
    .default("none")
    .meta({ description: "`transaction`: `DATABASE_URL` is a pooler, such as PgBouncer in transaction mode." }),
  DATABASE_CONNECTIONS_MAX: z.coerce.number().int().min(2).max(200).default(10).meta({
    description:
      "Connections of this process; the probes have one more. Behind 20 waiting callers each, new requests are answered 503.",
  }),
  DATA_DIR: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "Folder of the embedded database, uploads and staging's keyring.", unset: "`.data/bff`" }),
  KEYRING_FILE: z.string().min(1).optional().meta({
    description: "Keys for hashing and sealing, newest first. Production needs it. To replace one: the runbook.",
    unset: "made in `DATA_DIR` in staging",
  }),
  LOG_LEVEL: z
    .enum(["debug", "info", "warn", "error", "silent"])
    .default("info")
    .meta({ description: "`debug`, `info`, `warn`, `error` or `silent`." }),
  TRUSTED_PROXIES: z.coerce.number().int().min(0).max(10).optional().meta({
    description: "Number of proxies in front whose `X-Forwarded-*` headers are trusted. Production needs it.",
    unset: "0",
  }),
  WIDGET_DIST: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "Folder of the built widget.", unset: "`widget/dist`" }),
  WIDGET_DEV_URL: httpUrl
    .optional()
    .meta({ description: "Vite's server instead of the built widget. Development only.", unset: "none" }),
  WEBHOOK_SIGNATURE_WORD: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,31}$/, "must be a word of letters, digits and dashes")
    .default("Service")
    .meta({ description: "The word in `X-Service-Signature`." }),
  WEBHOOKS_ALLOW_LOOPBACK: flag
    .default(false)
    .meta({ description: "Allow webhooks to this machine. Never in production." }),
  EXPENSE_URLS_ALLOW_LOOPBACK: flag
    .default(false)
    .meta({ description: "Allow expenses by URL from this machine. Never in production." }),
  DOCUMENT_SERIAL_PATTERN: z
    .string()
    .max(200)
    .refine(isPattern, "must be a regular expression")
    .optional()
    .meta({ description: "Regular expression for an identity document's serial.", unset: "`^[A-Z]?\\d{9}$`" }),
  PAYMENT_ANSWER_WITHIN_SECONDS: z.coerce
    .number()
    .min(1)
    .max(PAYMENT_ANSWER_WITHIN_SECONDS_MAX)
    .default(8)
    .meta({
      description: `Payments are answered \`processing\` after this time, and continue. At most ${PAYMENT_ANSWER_WITHIN_SECONDS_MAX}.`,
    }),
  ANNUAL_COST_CONVENTION: z
    .enum(["linear", "compound"])
    .default("linear")
    .meta({ description: "How the CAE is calculated: `linear` or `compound`." }),
  ANNUAL_COST_DAY_BASE: z
    .enum(["360", "365"])
    .default("365")
    .transform((days) => (days === "360" ? 360 : 365))
    .meta({ description: "Days of the CAE's year: `360` or `365`." }),
  STAMP_TAX: z.enum(["lender", "commission", "exempt"]).default("lender").meta({
    description:
      "The party that bears the stamp tax on loans (DL 3.475): the `lender`, the `commission` (part of each commission that is interest), or none (`exempt`).",
  }),
  STAMP_TAX_MONTHLY_RATE: z.coerce
    .number()
    .positive()
    .max(1)
    .multipleOf(0.0001)
    .default(0.066)
    .meta({ description: "With `commission`: percent of the loan for each month begun." }),
  STAMP_TAX_EXEMPTION: z
    .string()
    .trim()
    .min(5)
    .max(200)
    .optional()
    .meta({ description: "With `exempt`: the legal basis, in Spanish, as contracts name it.", unset: "none" }),
  FILES_DIR: z.string().min(1).optional().meta({
    description: "Folder for encrypted uploads, seen by every process. Production needs it, or a bucket.",
    unset: "in `DATA_DIR`",
  }),
  FILES_S3_BUCKET: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "S3-compatible bucket for uploads instead of a folder.", unset: "none" }),
  FILES_S3_REGION: z.string().min(1).optional().meta({ description: "Its region.", unset: "`us-east-1`" }),
  FILES_S3_ENDPOINT: httpUrl.optional().meta({ description: "Its endpoint.", unset: "AWS's" }),
  FILES_S3_ACCESS_KEY_ID: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "Its access key. Set both keys or neither.", unset: "the machine's" }),
  FILES_S3_SECRET_ACCESS_KEY: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "Its secret key.", unset: "the machine's" }),
  CONNECTOR_URL: httpUrl.optional().meta({
    description: "The connector of every outside party that has no separate variable. Production needs it.",
    unset: "the sandbox",
  }),
  CONNECTOR_TOKEN: z
    .string()
    .min(16)
    .optional()
    .meta({ description: "The token of `CONNECTOR_URL`, at least 16 characters.", unset: "none" }),
  CONNECTOR_TOKEN_BEFORE: z.string().min(16).optional().meta({
    description: "While the token is replaced, the earlier one, still accepted for callbacks.",
    unset: "none",
  }),
  ...partyConnectorVariables(httpUrl.optional()),
  CONNECTORS_MOVED: movedConnectors.meta({
    description:
      "Connectors that kept their database at another address: `EARLIER PRESENT`, pairs separated by commas. Any other change of address is another connector, which is not asked about the earlier one's calls.",
    unset: "none",
  }),
  INSURER: z.enum(["connector", "by-hand"]).default("connector").meta({
    description: "`by-hand`: operators file claims in the console, and no patient is asked for a portal password.",
  }),
  CARD_CHALLENGE_ORIGIN: httpUrl.optional().meta({
    description: "Origin of the issuer's and card processor's pages. Production needs it.",
    unset: "the sandbox's",
  }),
  FINANCING_PROVIDER_NAME: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({ description: "The lender's legal name, shown to patients. Production needs it.", unset: "the sandbox's" }),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: "must be an smtp or smtps URL" })
    .optional()
    .meta({
      description:
        "Mail server, `smtps://user:password@host:465` or `smtp://host:587` with STARTTLS. Production needs it.",
      unset: "the sandbox's mailbox",
    }),
  MAIL_FROM: z.email().default("no-reply@aapd.example").meta({ description: "Sender of mails to patients." }),
  MAIL_FROM_NAME: z
    .string()
    .min(1)
    .max(100)
    .default("Atiéndete ahora, paga después")
    .meta({ description: "The sender's name." }),
  MESSAGING_URL: httpUrl.optional().meta({
    description: "Gateway for messages to telephones. Set both or neither; production needs both.",
    unset: "the sandbox's telephones",
  }),
  MESSAGING_TOKEN: z
    .string()
    .min(16)
    .optional()
    .meta({ description: "Its token, at least 16 characters.", unset: "none" }),
  SANDBOX_MAY_KILL: flag
    .optional()
    .meta({ description: "Staging only: lets the sandbox's fault `kill_after` kill this process.", unset: "`false`" }),
  AAPD_OPERATOR_TOKEN: z.string().optional().meta({
    description:
      "The operator's token for `pnpm aapd`. Production requires it once there is an operator. Servers do not need it.",
    unset: "none",
  }),
  OPERATOR_SIGN_IN_ISSUER: httpUrl.optional().meta({
    description: "The operators' sign-in service (OpenID Connect). Set all three or none.",
    unset: "links of `aapd operator sign-in`",
  }),
  OPERATOR_SIGN_IN_CLIENT_ID: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "The console's client id there.", unset: "none" }),
  OPERATOR_SIGN_IN_CLIENT_SECRET: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "The console's secret there.", unset: "none" }),
  SHUTDOWN_TIMEOUT_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(600)
    .default(25)
    .meta({ description: "How long a stop waits for requests and work in progress; 3 s more at most." }),
  DRAIN_SECONDS: z.coerce.number().min(0).max(300).optional().meta({
    description:
      "How long a stopping process still serves while `/readyz` is 503: at least a second longer than the proxy takes to notice.",
    unset: "15 in production, else 0",
  }),
  /** Set by pnpm: the folder in which the command was run. */
  INIT_CWD: z.string().optional(),
});
type Given = z.output<typeof schema>;
type Variables = Given & { readonly ENVIRONMENT: Environment };

function isPattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}

/** Longer than a load balancer takes for two readiness checks. */
const PRODUCTION_DRAIN_SECONDS = 15;

/** Reads the environment variables; throws `ConfigInvalid` with one line per invalid variable. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const variables = parseVariables(environment);
  const ofEnvironment =
    variables.ENVIRONMENT === "production" ? productionRefusals(variables) : stagingRefusals(variables);
  const config = composeConfig(variables);
  const refusals = [
    ...ofEnvironment,
    ...halfSetStorage(variables),
    ...halfSetSignIn(variables),
    ...stampTaxRefusals(variables),
    ...partyConnectorRefusals(variables),
    ...movedConnectorRefusals(variables),
    ...blockedPorts(variables, config),
  ];
  if (refusals.length > 0) throw new ConfigInvalid(refusals);
  return config;
}

function parseVariables(environment: NodeJS.ProcessEnv): Variables {
  const read = readSecretFiles(environment);
  if ("refusals" in read) throw new ConfigInvalid(read.refusals);
  // An empty variable counts as not set.
  const given = Object.fromEntries(Object.entries(read.variables).filter(([, value]) => value !== ""));
  const result = schema.safeParse(given, { error: issueWords });
  if (!result.success) {
    throw new ConfigInvalid(result.error.issues.map(({ path, message }) => `${path[0]?.toString()}: ${message}`));
  }
  return { ...result.data, ENVIRONMENT: environmentOf(result.data) };
}

/** The settings of a program that only migrates. */
export type DatabaseConfig = Pick<Config, "environment" | "databaseUrl" | "isDatabasePooled" | "logLevel">;

/** Reads only the database and its environment; ignores all other variables. Throws `ConfigInvalid`. */
export function readDatabaseConfig(environment: NodeJS.ProcessEnv = process.env): DatabaseConfig {
  const { ENVIRONMENT, DATABASE_URL, DATABASE_URL_FILE, DATABASE_POOLER, DATA_DIR, LOG_LEVEL, INIT_CWD } = environment;
  const database = { DATABASE_URL, DATABASE_URL_FILE, DATABASE_POOLER };
  const variables = parseVariables({ ENVIRONMENT, ...database, DATA_DIR, LOG_LEVEL, INIT_CWD });
  return {
    environment: variables.ENVIRONMENT,
    databaseUrl: variables.DATABASE_URL ?? dataDirOf(variables),
    isDatabasePooled: variables.DATABASE_POOLER === "transaction",
    logLevel: variables.LOG_LEVEL,
  };
}

/** The settings of a program that checks a connector from outside. */
export interface ConnectorCheckConfig {
  /** Null if it was not set. */
  readonly token: string | null;
  /** The URLs of production's connectors if these are its variables. */
  readonly productionUrls: readonly string[];
}

/** Reads the token of the connector to check, and ignores all other variables. Throws `ConfigInvalid`. */
export function readConnectorCheckConfig(environment: NodeJS.ProcessEnv = process.env): ConnectorCheckConfig {
  const { ENVIRONMENT = "staging", CONNECTOR_TOKEN, CONNECTOR_TOKEN_FILE } = environment;
  const names = ["CONNECTOR_URL", ...PARTY_CONNECTOR_URLS] as const;
  const urls = Object.fromEntries(names.map((name) => [name, environment[name]]));
  const variables = parseVariables({ ...urls, ENVIRONMENT, CONNECTOR_TOKEN, CONNECTOR_TOKEN_FILE });
  const isProduction = variables.ENVIRONMENT === "production";
  return {
    token: variables.CONNECTOR_TOKEN ?? null,
    productionUrls: isProduction ? names.flatMap((name) => variables[name] ?? []) : [],
  };
}

/**
 * On the machine's own embedded database a process defaults to staging; for a shared one the environment must be given.
 */
function environmentOf({ ENVIRONMENT, DATABASE_URL }: Given): Environment {
  if (ENVIRONMENT !== undefined) return ENVIRONMENT;
  if (DATABASE_URL === undefined) return "staging";
  throw new ConfigInvalid([
    "ENVIRONMENT: set it to the environment that DATABASE_URL belongs to, staging or production",
  ]);
}

/** Settings that are acceptable for trials but not for patients' money. */
function productionRefusals(variables: Variables): string[] {
  const lines: string[] = [];
  if (!/^postgres(ql)?:\/\//.test(variables.DATABASE_URL ?? "")) {
    lines.push(
      "DATABASE_URL: production needs PostgreSQL; the embedded database does not survive a power loss (it does not fsync)",
    );
  }
  lines.push(...unencrypted(variables));
  if (variables.KEYRING_FILE === undefined) {
    lines.push("KEYRING_FILE: production needs a keyring; only staging creates one in its data folder");
  }
  if (variables.FACES === undefined || variables.FACES.includes("sandbox")) {
    lines.push("FACES: list the faces that this process serves; the sandbox does not exist in production");
  }
  for (const name of PUBLIC_URLS) {
    const url = variables[name];
    if (name === "SANDBOX_PARTIES_PUBLIC_URL") continue;
    if (name === "OPERATIONS_PUBLIC_URL" && variables.FACES?.includes("operations") !== true) continue;
    if (url === undefined) lines.push(`${name}: production needs it`);
    else if (!url.startsWith("https://")) lines.push(`${name}: production needs an https URL`);
  }
  for (const name of PARTY_VARIABLES) {
    if (variables[name] === undefined)
      lines.push(`${name}: production needs it; the sandbox's parties exist only in staging`);
  }
  if (variables.TRUSTED_PROXIES === undefined) {
    lines.push(
      "TRUSTED_PROXIES: set the number of proxies in front; with too few, all callers share one address and its limits, and with too many, a caller can forge its address",
    );
  }
  if (variables.FILES_S3_BUCKET === undefined && variables.FILES_DIR === undefined) {
    lines.push("FILES_S3_BUCKET: production needs it, or FILES_DIR: a folder that every process sees");
  }
  if (variables.WIDGET_DEV_URL !== undefined) lines.push("WIDGET_DEV_URL: only for development");
  for (const name of ["WEBHOOKS_ALLOW_LOOPBACK", "EXPENSE_URLS_ALLOW_LOOPBACK"] as const) {
    if (variables[name]) lines.push(`${name}: not allowed in production`);
  }
  return lines;
}

function stampTaxRefusals({ STAMP_TAX: borneBy, STAMP_TAX_EXEMPTION: exemption }: Variables): string[] {
  if (borneBy === "exempt" && exemption === undefined)
    return ["STAMP_TAX_EXEMPTION: STAMP_TAX=exempt needs the legal basis, which contracts name"];
  return borneBy !== "exempt" && exemption !== undefined ? ["STAMP_TAX_EXEMPTION: only with STAMP_TAX=exempt"] : [];
}

/** Connections that would be unencrypted, or encrypted to an unverified server. */
function unencrypted(variables: Variables): string[] {
  const lines: string[] = [];
  for (const name of ENCRYPTED_URLS) {
    const url = variables[name];
    if (url !== undefined && !url.startsWith("https://") && !isOnThisMachine(new URL(url).hostname))
      lines.push(`${name}: production needs an https URL, or one on this machine`);
  }
  const database = variables.DATABASE_URL;
  if (database !== undefined && URL.canParse(database) && !isDatabaseProtected(new URL(database)))
    lines.push("DATABASE_URL: production needs sslmode=verify-full in it, unless the database is on this machine");
  return lines;
}

/** URLs that this process or a patient's browser calls with secrets or personal data. */
const ENCRYPTED_URLS = [
  "CONNECTOR_URL",
  ...PARTY_CONNECTOR_URLS,
  "CARD_CHALLENGE_ORIGIN",
  "MESSAGING_URL",
  "ORDER_API_URL",
  "SPOT_API_URL",
  "FILES_S3_ENDPOINT",
  "OPERATOR_SIGN_IN_ISSUER",
] as const;

/** `verify-full` is the only mode that both encrypts and verifies the database's host. */
function isDatabaseProtected({ hostname, searchParams }: URL): boolean {
  // The driver takes `host` from the query before the one in the address; a path is a socket of this machine.
  const host = searchParams.get("host") ?? decodeURIComponent(hostname);
  if (host === "" || host.startsWith("/") || isOnThisMachine(host)) return true;
  const modes = searchParams.getAll("sslmode");
  return modes.length > 0 && modes.every((mode) => mode === "verify-full");
}

function isOnThisMachine(hostname: string): boolean {
  return hostname === "localhost" || isLoopbackAddress(hostname);
}

/** Browsers, and Node's `fetch`, silently refuse some ports. */
function blockedPorts(variables: Variables, { faces, addresses }: Pick<Config, "faces" | "addresses">): string[] {
  return faces.flatMap((face) => {
    const port = Number(new URL(addresses[face].publicUrl).port);
    if (!isBlockedByBrowsers(port)) return [];
    const [publicUrl, own] = ADDRESS_VARIABLES[face];
    return [
      `${variables[publicUrl] === undefined ? own : publicUrl}: browsers refuse to call port ${port}; use another`,
    ];
  });
}

const ADDRESS_VARIABLES = {
  order: ["ORDER_API_PUBLIC_URL", "ORDER_API_PORT"],
  spot: ["SPOT_API_PUBLIC_URL", "SPOT_API_PORT"],
  widget: ["WIDGET_HOST_PUBLIC_URL", "WIDGET_HOST_PORT"],
  operations: ["OPERATIONS_PUBLIC_URL", "OPERATIONS_PORT"],
  sandbox: ["SANDBOX_PARTIES_PUBLIC_URL", "SANDBOX_PARTIES_PORT"],
} as const satisfies Record<Face, readonly [keyof Given, keyof Given]>;

/**
 * S3-compatible storage must be configured completely or not at all; otherwise uploads would silently go to a local
 * folder.
 */
function halfSetStorage(variables: Variables): string[] {
  const lines: string[] = [];
  const given = S3_VARIABLES.filter((name) => variables[name] !== undefined);
  if (given.length > 0 && variables.FILES_S3_BUCKET === undefined)
    lines.push(`FILES_S3_BUCKET: missing, although ${given.join(", ")} is set`);
  const [keyId, secret] = S3_CREDENTIALS;
  for (const [name, other] of [
    [keyId, secret],
    [secret, keyId],
  ] as const) {
    if (variables[name] === undefined && variables[other] !== undefined) lines.push(`${name}: ${other} needs it`);
  }
  return lines;
}

/** The operators' sign-in service needs all of its settings or none. */
function halfSetSignIn(variables: Variables): string[] {
  const missing = SIGN_IN_VARIABLES.filter((name) => variables[name] === undefined);
  if (missing.length === SIGN_IN_VARIABLES.length) return [];
  return missing.map((name) => `${name}: the operators' sign-in service needs it`);
}

const SIGN_IN_VARIABLES = [
  "OPERATOR_SIGN_IN_ISSUER",
  "OPERATOR_SIGN_IN_CLIENT_ID",
  "OPERATOR_SIGN_IN_CLIENT_SECRET",
] as const;

const S3_CREDENTIALS = ["FILES_S3_ACCESS_KEY_ID", "FILES_S3_SECRET_ACCESS_KEY"] as const;
const S3_VARIABLES = ["FILES_S3_REGION", "FILES_S3_ENDPOINT", ...S3_CREDENTIALS] as const;

const PUBLIC_URLS = [
  "ORDER_API_PUBLIC_URL",
  "SPOT_API_PUBLIC_URL",
  "WIDGET_HOST_PUBLIC_URL",
  "OPERATIONS_PUBLIC_URL",
  "SANDBOX_PARTIES_PUBLIC_URL",
] as const;

/** Staging has real gateways for all parties or for none. */
function stagingRefusals(variables: Variables): string[] {
  const isMissing = (name: (typeof PARTY_VARIABLES)[number]) => variables[name] === undefined;
  if (CONNECTOR_VARIABLES.every(isMissing)) {
    const missing = MESSAGING_VARIABLES.filter(isMissing);
    if (missing.length === MESSAGING_VARIABLES.length) return [];
    return missing.map((name) => `${name}: the gateway for messages needs it; set neither to use the sandbox's`);
  }
  return PARTY_VARIABLES.filter(isMissing).map(
    (name) => `${name}: the real parties need it; set none of them to use the sandbox's`,
  );
}

const CONNECTOR_VARIABLES = [
  "CONNECTOR_URL",
  "CONNECTOR_TOKEN",
  "CARD_CHALLENGE_ORIGIN",
  "FINANCING_PROVIDER_NAME",
] as const;
const MESSAGING_VARIABLES = ["MESSAGING_URL", "MESSAGING_TOKEN"] as const;
const PARTY_VARIABLES = [...CONNECTOR_VARIABLES, "SMTP_URL", ...MESSAGING_VARIABLES] as const;

function composeConfig(variables: Variables): Config {
  const base = variables.INIT_CWD ?? process.cwd();
  const dataDir = dataDirOf(variables);
  return {
    environment: variables.ENVIRONMENT,
    faces: variables.FACES ?? FACES,
    workers: variables.WORKERS,
    bindAddress: variables.BIND_ADDRESS,
    probesPort: variables.PROBES_PORT ?? null,
    commit: variables.COMMIT ?? null,
    traces: tracesOf(variables),
    addresses: composeAddresses(variables),
    forward: { order: variables.ORDER_API_URL ?? null, spot: variables.SPOT_API_URL ?? null },
    databaseUrl: variables.DATABASE_URL ?? dataDir,
    databaseConnectionsMax: variables.DATABASE_CONNECTIONS_MAX,
    isDatabasePooled: variables.DATABASE_POOLER === "transaction",
    dataDir,
    workingDir: base,
    keyringFile: variables.KEYRING_FILE === undefined ? null : resolve(base, variables.KEYRING_FILE),
    logLevel: variables.LOG_LEVEL,
    trustedProxies: variables.TRUSTED_PROXIES ?? 0,
    widgetDist: resolve(
      variables.WIDGET_DIST === undefined ? packageFolder : base,
      variables.WIDGET_DIST ?? "../widget/dist",
    ),
    widgetDevUrl: variables.WIDGET_DEV_URL ?? null,
    webhooks: {
      signatureWord: variables.WEBHOOK_SIGNATURE_WORD,
      allowLoopback: variables.WEBHOOKS_ALLOW_LOOPBACK,
    },
    expenseUrlsAllowLoopback: variables.EXPENSE_URLS_ALLOW_LOOPBACK,
    documentSerialPattern: variables.DOCUMENT_SERIAL_PATTERN ?? DOCUMENT_SERIAL_PATTERN,
    paymentAnswerWithinMs: variables.PAYMENT_ANSWER_WITHIN_SECONDS * 1000,
    annualCost: { convention: variables.ANNUAL_COST_CONVENTION, dayBase: variables.ANNUAL_COST_DAY_BASE },
    stampTax: composeStampTax(variables),
    files: composeFiles(variables, base, dataDir),
    parties: composeParties(variables),
    insurerByHand: variables.INSURER === "by-hand",
    smtp: composeSmtp(variables),
    messaging: composeMessaging(variables),
    operatorToken: variables.AAPD_OPERATOR_TOKEN ?? null,
    operatorSignIn: composeSignIn(variables),
    shutdownTimeoutMs: variables.SHUTDOWN_TIMEOUT_SECONDS * 1000,
    drainMs:
      (variables.DRAIN_SECONDS ?? (variables.ENVIRONMENT === "production" ? PRODUCTION_DRAIN_SECONDS : 0)) * 1000,
    sandboxMayKill: variables.ENVIRONMENT === "staging" && variables.SANDBOX_MAY_KILL === true,
  };
}

function composeStampTax(variables: Variables): OrdersDependencies["stampTax"] {
  if (variables.STAMP_TAX === "lender") return { borneBy: "lender" };
  if (variables.STAMP_TAX === "exempt") return { borneBy: "none", exemption: variables.STAMP_TAX_EXEMPTION ?? "" };
  return { borneBy: "commission", monthlyPartsPerMillion: Math.round(variables.STAMP_TAX_MONTHLY_RATE * 10_000) };
}

/** The signal's path is appended to the endpoint, as the standard requires. */
function tracesOf(variables: Variables): Config["traces"] {
  const endpoint = variables.OTEL_EXPORTER_OTLP_ENDPOINT;
  const serviceName = variables.OTEL_SERVICE_NAME;
  return endpoint === undefined ? null : { url: `${endpoint}/v1/traces`, serviceName };
}

function dataDirOf({ DATA_DIR, INIT_CWD }: Variables): string {
  return DATA_DIR === undefined ? resolve(packageFolder, "../.data/bff") : resolve(INIT_CWD ?? process.cwd(), DATA_DIR);
}

function composeAddresses(variables: Variables): Config["addresses"] {
  const address = (port: number, publicUrl: string | undefined, host = "127.0.0.1"): FaceAddress => ({
    port,
    publicUrl: publicUrl ?? `http://${host}:${port}`,
  });
  return {
    order: address(variables.ORDER_API_PORT, variables.ORDER_API_PUBLIC_URL),
    spot: address(variables.SPOT_API_PORT, variables.SPOT_API_PUBLIC_URL),
    widget: address(variables.WIDGET_HOST_PORT, variables.WIDGET_HOST_PUBLIC_URL),
    operations: address(variables.OPERATIONS_PORT, variables.OPERATIONS_PUBLIC_URL),
    sandbox: address(variables.SANDBOX_PARTIES_PORT, variables.SANDBOX_PARTIES_PUBLIC_URL),
  };
}

function composeFiles(variables: Variables, base: string, dataDir: string): FileLocation {
  const { FILES_S3_BUCKET: bucket, FILES_S3_ACCESS_KEY_ID: keyId, FILES_S3_SECRET_ACCESS_KEY: secret } = variables;
  if (bucket === undefined) return { kind: "folder", path: resolve(base, variables.FILES_DIR ?? `${dataDir}/files`) };
  return {
    kind: "s3",
    bucket,
    region: variables.FILES_S3_REGION ?? "us-east-1",
    endpoint: variables.FILES_S3_ENDPOINT ?? null,
    credentials: keyId === undefined || secret === undefined ? null : { accessKeyId: keyId, secretAccessKey: secret },
  };
}

/** The real gateways if they are configured, otherwise null. */
function composeParties(variables: Variables): GatewaysConfig | null {
  const { CONNECTOR_URL, CONNECTOR_TOKEN, CARD_CHALLENGE_ORIGIN, FINANCING_PROVIDER_NAME } = variables;
  if (CONNECTOR_URL === undefined || CONNECTOR_TOKEN === undefined) return null;
  if (CARD_CHALLENGE_ORIGIN === undefined || FINANCING_PROVIDER_NAME === undefined) return null;
  return {
    connectorUrl: CONNECTOR_URL,
    connectorToken: CONNECTOR_TOKEN,
    connectorTokenBefore: variables.CONNECTOR_TOKEN_BEFORE ?? null,
    partyConnectors: composePartyConnectors(variables),
    connectorNames: variables.CONNECTORS_MOVED,
    challengeOrigin: new URL(CARD_CHALLENGE_ORIGIN).origin,
    financingProviderName: FINANCING_PROVIDER_NAME,
    hasCircuit: true,
  };
}

function composeSignIn(variables: Variables): OpenIdConfig | null {
  const {
    OPERATOR_SIGN_IN_ISSUER: issuer,
    OPERATOR_SIGN_IN_CLIENT_ID: clientId,
    OPERATOR_SIGN_IN_CLIENT_SECRET: clientSecret,
  } = variables;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return null;
  return { issuer, clientId, clientSecret };
}

function composeMessaging({ MESSAGING_URL: baseUrl, MESSAGING_TOKEN: token }: Variables): Config["messaging"] {
  return baseUrl === undefined || token === undefined ? null : { baseUrl, token };
}

const SMTP_TIMEOUT_MS = 10_000;

/** Parses `smtps://user:password@host:465`, or `smtp://host:587` with STARTTLS; `?security=none` is for trials only. */
function composeSmtp(variables: Variables): SmtpConfig | null {
  if (variables.SMTP_URL === undefined) return null;
  const url = new URL(variables.SMTP_URL);
  const isTls = url.protocol === "smtps:";
  const isPlain = url.searchParams.get("security") === "none" && variables.ENVIRONMENT !== "production";
  return {
    host: url.hostname,
    port: Number(url.port) || (isTls ? 465 : 587),
    security: isTls ? "tls" : isPlain ? "none" : "starttls",
    credentials:
      url.username === ""
        ? null
        : { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) },
    from: { name: variables.MAIL_FROM_NAME, address: variables.MAIL_FROM },
    timeoutMs: SMTP_TIMEOUT_MS,
  };
}
