import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { BlockList } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { validate } from "dockerfile-utils";
import { Deployment } from "kubernetes-models/apps/v1";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2";
import { Job } from "kubernetes-models/batch/v1";
import { Ingress, NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1";
import { ConfigMap, Service } from "kubernetes-models/v1";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import * as z from "zod";
import { readFintocSettings } from "../connectors/fintoc/settings.ts";
import { readSettings } from "../connectors/kit/settings.ts";
import { readLibredteSettings } from "../connectors/libredte/settings.ts";
import { readSoyioSettings } from "../connectors/soyio/settings.ts";
import { readTransbankSettings } from "../connectors/transbank/settings.ts";
import { readWhatsappSettings } from "../connectors/whatsapp/settings.ts";
import { readBlocks } from "../lab/crash/read-blocks.ts";
import { type Config, PAYMENT_ANSWER_WITHIN_SECONDS_MAX, readConfig, readDatabaseConfig } from "../src/app/config.ts";
import { NOT_TAKEN } from "../src/app/listen.ts";
import { READY_WITHIN_MS } from "../src/app/probes.ts";
import { CLOCK_ANSWER_WITHIN_SECONDS } from "../src/contract/sandbox-endpoints.ts";
import { EXPENSE_FETCH_TIMEOUT_SECONDS, EXPENSE_FILE_BYTES_MAX, EXPENSE_FILES_MAX } from "../src/contract/terms.ts";
import { FORWARD_TIMEOUT_MS } from "../src/frame/forward.ts";
import { CONNECTOR_DEADLINE_MS } from "../src/gateways/gateway-call.ts";
import { LOGO_TIMEOUT_MS, PRINT_TIMEOUT_MS } from "../src/orders/document-printer.ts";
import { DEFAULT_LEASE_MS } from "../src/platform/http/idempotency.ts";

/* Compares the deployment files with the service, because no container engine runs here. */
const root = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");
const { version } = z.object({ version: z.string() }).parse(JSON.parse(read("bff/package.json")));

const PROBES = 4_090;
/**
 * The maximum shutdown time after `DRAIN_SECONDS` and `SHUTDOWN_TIMEOUT_SECONDS` (`docs/start/going-to-production.md`).
 */
const STOP_MS = 3_000;
/** The maximum time from the end of a wait until nginx has the answer, under load. */
const ANSWER_MARGIN_MS = 5_000;
const stopMs = ({ drainMs, shutdownTimeoutMs }: Config) => drainMs + shutdownTimeoutMs + STOP_MS;

/** The variables of `aapd.env` in `docs/start/going-to-production.md`. */
const written = Object.fromEntries(
  readBlocks(read("bff/docs/start/going-to-production.md"), "Steps")
    .flatMap((block) => [
      ...(/cat > aapd\.env <<'END'\n([\s\S]*?)^END$/m.exec(block)?.[1]?.matchAll(/^(\w+)='?(.*?)'?$/gm) ?? []),
    ])
    .map(([, name = "", value = ""]) => [name, value]),
);

const known = new Set(
  [...read("bff/src/app/config.ts").matchAll(/^ {2}([A-Z][A-Z0-9_]+): /gm)].map(([, name]) => name),
);
const unknownAmong = (names: readonly string[]) =>
  names.filter((name) => !known.has(name.replace(/_FILE$/, "")) && !known.has(name));

/** The compiled program among the arguments of `node`. */
function programIn([program = ""]: readonly string[]): string {
  expect(program).toMatch(/^bff\/dist\/.*\.js$/);
  const source = program.replace("bff/dist/", "bff/").replace(/\.js$/, ".ts");
  expect(existsSync(new URL(source, root)), source).toBe(true);
  return source;
}

const MAIN = "bff/src/main.ts";
/** The connectors: what the service calls, and what browsers open. */
const CONNECTORS = [
  {
    name: "transbank",
    paths: ["/connector/v1/card-processor/", "/card/", "/card.css", "/card.js"],
    readSettings: readTransbankSettings,
  },
  { name: "fintoc", paths: ["/connector/v1/bank/"], readSettings: readFintocSettings },
  { name: "soyio", paths: ["/connector/v1/identity-registry/"], readSettings: readSoyioSettings },
  { name: "whatsapp", paths: ["/connector/v1/messenger/", "/whatsapp/webhook"], readSettings: readWhatsappSettings },
  { name: "libredte", paths: ["/connector/v1/tax-documents/"], readSettings: readLibredteSettings },
  {
    name: "bank-file",
    paths: ["/connector/v1/bank/"],
    readSettings: (variables: NodeJS.ProcessEnv) => readSettings({}, variables),
  },
] as const;
const connectorProgram = (name: string) => `bff/connectors/${name}/main.ts`;
/** The variables of the connector's file of variables in its README, with a real key in place of its dots. */
const connectorVariables = (name: string) =>
  Object.fromEntries(
    [...read(`bff/connectors/${name}/README.md`).matchAll(/^ {4}([A-Z_]+)=(.*)$/gm)].map(([, variable, value = ""]) => [
      variable,
      value.includes("PRIVATE KEY") ? privateKeyPem : value,
    ]),
  );
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const privateKeyPem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const AAPD = "bff/src/aapd.ts";

describe("Containerfile", () => {
  const text = read("bff/deploy/Containerfile");
  const [, , image = ""] = text.split(/^(?=FROM )/m);
  const instructions = image
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .map((line) => /^([A-Z]+) +(.*)$/.exec(line))
    .flatMap((found) => (found === null ? [] : [{ name: found[1] ?? "", text: found[2] ?? "" }]));
  const one = (name: string) => instructions.find((instruction) => instruction.name === name)?.text ?? "";
  const variables = Object.fromEntries(
    one("ENV")
      .split(" ")
      .map((pair) => pair.split("=") as [string, string]),
  );

  it("passes its linter", () => expect(validate(text)).toEqual([]));

  it("runs compiled programs by Node itself, without a shell", () => {
    expect(JSON.parse(one("ENTRYPOINT"))).toEqual(["/nodejs/bin/node"]);
    expect(programIn(z.array(z.string()).parse(JSON.parse(one("CMD"))))).toBe(MAIN);
    expect(one("STOPSIGNAL")).toBe("SIGTERM");
  });

  it("needs no root user", () => {
    expect(one("USER")).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(instructions.findLastIndex(({ name }) => name === "COPY")).toBeLessThan(
      instructions.findIndex(({ name }) => name === "USER"),
    );
    expect(one("COPY")).not.toContain("--chown");
  });

  it("sets variables that the service reads, and opens its ports", () => {
    const { NODE_ENV, ...own } = variables;
    expect([NODE_ENV, unknownAmong(Object.keys(own))]).toEqual(["production", []]);
    const { faces, addresses, probesPort } = readConfig({ ...written, ...own });
    const ports = [...faces.map((face) => addresses[face].port), probesPort];
    expect(one("EXPOSE").split(" ").map(Number)).toEqual(ports);
  });

  it("checks liveness on the probes' port", () => {
    const [, command = "[]"] = / CMD (\[.*\])$/.exec(one("HEALTHCHECK")) ?? [];
    const [node, , script] = z.array(z.string()).parse(JSON.parse(command));
    expect(node).toBe("/nodejs/bin/node");
    expect(script).toContain(`http://127.0.0.1:${PROBES}/healthz`);
    expect(variables.PROBES_PORT).toBe(String(PROBES));
  });
});

const duration = z
  .string()
  .regex(/^\d+s$/)
  .transform((text) => Number.parseInt(text, 10) * 1_000);
const conditions = z.record(
  z.string(),
  z.strictObject({ condition: z.enum(["service_healthy", "service_completed_successfully"]) }),
);
const composeNetwork = z.strictObject({ ipv4_address: z.ipv4().optional(), aliases: z.array(z.string()).optional() });
type ComposeNetwork = z.output<typeof composeNetwork>;
/** The part of compose's format that is used. An unknown name is an error. */
const composeService = z.strictObject({
  image: z.string(),
  command: z.array(z.string()).optional(),
  env_file: z.string().optional(),
  environment: z.record(z.string(), z.string()).default({}),
  secrets: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  networks: z
    .union([
      z.array(z.string()).transform((names) => Object.fromEntries(names.map((name) => [name, {} as ComposeNetwork]))),
      z.record(z.string(), composeNetwork),
    ])
    .default({}),
  network_mode: z.literal("none").optional(),
  ports: z.array(z.string()).default([]),
  profiles: z.array(z.string()).optional(),
  user: z.string().optional(),
  read_only: z.boolean().default(false),
  tmpfs: z.array(z.string()).optional(),
  cap_drop: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  mem_limit: z.string().optional(),
  ulimits: z.strictObject({ core: z.literal(0) }).optional(),
  init: z.boolean().optional(),
  stop_grace_period: duration.optional(),
  restart: z.enum(["unless-stopped", "no"]),
  depends_on: conditions.default({}),
  healthcheck: z
    .union([
      z.strictObject({ disable: z.literal(true) }),
      z.strictObject({ test: z.array(z.string()), interval: duration, timeout: duration, retries: z.number() }),
    ])
    .optional(),
});
const composeFile = z.strictObject({
  name: z.string(),
  "x-aapd": z.unknown(),
  services: z.record(z.string(), composeService),
  networks: z.record(
    z.string(),
    z.strictObject({
      internal: z.boolean().optional(),
      ipam: z.strictObject({ config: z.array(z.strictObject({ subnet: z.cidrv4() })) }).optional(),
    }),
  ),
  volumes: z.record(z.string(), z.strictObject({})),
  secrets: z.record(z.string(), z.strictObject({ file: z.string() })),
});

describe("compose.yaml", () => {
  const compose = composeFile.parse(parse(read("bff/deploy/compose.yaml"), { merge: true }));
  const services = Object.entries(compose.services);
  const ours = services.filter(([, { image }]) => image.startsWith("aapd:"));
  const programs = ours.filter(([, { command }]) => command === undefined);
  const processes = programs.filter(([, { profiles }]) => profiles === undefined);
  const documents = read("bff/docs/start/deployment.md");
  const databaseUrl = /`(postgres:\/\/\/[^`]+)`/.exec(documents)?.[1] ?? "";
  const variablesOf = ({ environment }: (typeof services)[number][1]) => {
    const { DATABASE_URL, KEYRING_FILE, FILES_DIR, ...others } = written;
    const { DATABASE_URL_FILE, ...own } = environment;
    return { ...others, ...own, DATABASE_URL: databaseUrl, PROBES_PORT: String(PROBES) };
  };

  it("has two processes of this version, with variables that the service accepts", () => {
    expect(processes.map(([name]) => name)).toEqual(["aapd-1", "aapd-2"]);
    for (const [name, service] of ours) {
      expect(service.image).toBe(`aapd:${version}`);
      if (CONNECTORS.some((connector) => connector.name === name)) continue;
      expect(unknownAmong(Object.keys(service.environment))).toEqual([]);
      expect(readConfig(variablesOf(service)).environment).toBe("production");
    }
  });

  it("lets each process finish its work before it is killed", () => {
    for (const [, service] of programs)
      expect(service.stop_grace_period).toBeGreaterThan(stopMs(readConfig(variablesOf(service))));
  });

  it("denies writing to the root file system, root and new privileges to every container", () => {
    for (const [name, service] of [...ours, ...services.filter(([, { image }]) => image.includes("/nginx-"))]) {
      expect(service, name).toMatchObject({
        read_only: true,
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
      });
    }
    for (const [, service] of ours) expect(service.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  });

  it("lets no process of ours write a core dump, which would hold secrets", () => {
    for (const [name, service] of ours) expect(service.ulimits, name).toEqual({ core: 0 });
  });

  it("migrates once the database answers, and then starts processes", () => {
    const { migrate } = compose.services;
    const [program = "", ...command] = migrate?.command ?? [];
    expect([programIn([program]), command]).toEqual([AAPD, ["migrate"]]);
    expect(migrate?.depends_on).toEqual({ database: { condition: "service_healthy" } });
    for (const [, { depends_on }] of programs)
      expect(depends_on.migrate).toEqual({ condition: "service_completed_successfully" });
  });

  it("is healthy only when it is ready, so that the next process is not replaced too early", () => {
    for (const [, { healthcheck }] of programs) {
      if (healthcheck === undefined || "disable" in healthcheck) throw new Error("A process has a health check.");
      const [, node, check = "", ...given] = healthcheck.test;
      expect([node, programIn([check])]).toEqual(["/nodejs/bin/node", "bff/src/check-health.ts"]);
      const [program = ""] = JSON.parse(/^CMD (.*)$/m.exec(read("bff/deploy/Containerfile"))?.[1] ?? "[]");
      expect(given).toEqual([`http://127.0.0.1:${PROBES}/readyz`, `http://127.0.0.1:${PROBES}/healthz`, program]);
      // Six tries of up to four seconds, five seconds apart, after one of readiness.
      expect(healthcheck.timeout).toBeGreaterThan(Math.max(READY_WITHIN_MS, 4_000 + 6 * 9_000));
    }
    const replaced = [...documents.matchAll(/^ {4}docker compose up (.*) (aapd-\d)$/gm)];
    expect(replaced.map(([, , name]) => name)).toEqual(processes.map(([name]) => name));
    for (const [, flags] of replaced) expect(flags).toBe("--detach --no-deps --wait");
    expect(compose.services.nginx?.depends_on).toEqual(
      Object.fromEntries(processes.map(([name]) => [name, { condition: "service_healthy" }])),
    );
  });

  it("gives each process behind nginx an address that it keeps when it is replaced", () => {
    const proxies = services.filter(([, { image }]) => image.includes("/nginx-"));
    for (const [name, { networks }] of programs) {
      for (const [, proxy] of proxies) {
        const shared = Object.keys(networks).filter((network) => network in proxy.networks);
        expect(shared, name).toEqual(["inside"]);
      }
      expect(networks.inside?.ipv4_address, name).toMatch(/^172[.]30[.]90[.]\d+$/);
    }
    expect(compose.networks.inside?.ipam?.config).toEqual([{ subnet: "172.30.90.0/24" }]);
    // Also of connectors, each of which is started by its profile.
    const addresses = services.flatMap(([, { networks }]) => networks.inside?.ipv4_address ?? []);
    expect(new Set(addresses).size).toBe(addresses.length);
  });

  it("refers to nothing undefined", () => {
    const { volumes, secrets, networks } = compose;
    for (const [name, service] of services) {
      expect(Object.keys(compose.services), name).toEqual(expect.arrayContaining(Object.keys(service.depends_on)));
      expect(Object.keys(secrets), name).toEqual(expect.arrayContaining(service.secrets));
      expect(Object.keys(networks), name).toEqual(expect.arrayContaining(Object.keys(service.networks)));
      const named = service.volumes
        .map((volume) => volume.split(":")[0] ?? "")
        .filter((volume) => !volume.startsWith("."));
      expect(Object.keys(volumes), name).toEqual(expect.arrayContaining(named));
      const files = Object.values(service.environment).filter((value) => value.startsWith("/run/secrets/"));
      expect(service.secrets, name).toEqual(
        expect.arrayContaining(files.map((file) => file.replace("/run/secrets/", ""))),
      );
    }
    for (const name of Object.keys(secrets)) expect(documents).toContain(`\`${name}\``);
  });

  it("starts the console only on request, at a local address, and without other work", () => {
    const { console: own, "console-nginx": front } = compose.services;
    const { faces, workers, addresses } = readConfig(variablesOf(own ?? composeService.parse({})));
    expect([faces, workers, own?.profiles]).toEqual([["operations"], "off", ["console"]]);
    const { hostname, port } = new URL(addresses.operations.publicUrl);
    const nginx = read("bff/deploy/nginx-console.conf");
    expect(nginx).toContain(`listen ${port} ssl;\n  server_name ${hostname};\n`);
    expect(nginx).toContain(`proxy_pass http://console:${addresses.operations.port};`);
    expect([front?.ports, front?.profiles]).toEqual([[`127.0.0.1:${port}:${port}`], ["console"]]);
    expect([...nginx.matchAll(/\/run\/secrets\/([\w.-]+);/g)].map(([, name]) => name)).toEqual(front?.secrets);
  });

  it.each(CONNECTORS)("runs the connector $name on request, behind its paths", ({ name, paths, readSettings }) => {
    const { [name]: service, nginx: front } = compose.services;
    const { environment, command, networks } = service ?? composeService.parse({});
    expect([programIn(command ?? []), service?.profiles]).toEqual([connectorProgram(name), [name]]);
    const settings = readSettings({ ...connectorVariables(name), ...environment });
    const nginx = read("bff/deploy/nginx-connectors.conf");
    const connector = `http://${networks.inside?.ipv4_address}:${settings.CONNECTOR_PORT}`;
    const places = [...nginx.matchAll(/location (?:= |~ \^)?(\S+) \{ proxy_pass (\S+); \}/g)]
      .filter(([, , to]) => to === connector)
      .map(([, path]) => path);
    expect(places).toEqual(paths);
    expect(service?.healthcheck).toMatchObject({
      test: expect.arrayContaining([
        `http://127.0.0.1:${settings.CONNECTOR_PORT}/readyz`,
        `http://127.0.0.1:${settings.CONNECTOR_PORT}/livez`,
        command?.[0],
      ]),
    });
    const [alias = ""] = front?.networks.inside?.aliases ?? [];
    expect(front?.volumes).toContain("./nginx-connectors.conf:/etc/nginx/conf.d/nginx-connectors.conf:ro");
    expect(nginx).toContain(`server_name ${alias};\n  allow 172.30.90.0/24;\n  deny all;\n`);
  });

  describe("nginx.conf", () => {
    const nginx = read("bff/deploy/nginx.conf");
    const upstreams = new Map(
      [...nginx.matchAll(/upstream (\w+) \{([^}]*)\}/g)].map(([, name = "", body = ""]) => [
        name,
        [...body.matchAll(/server ([\w-]+):(\d+)/g)].map(([, host, port]) => ({ host, port: Number(port) })),
      ]),
    );
    const fronts = [
      ...nginx.matchAll(
        /listen (\d+) ssl;\s+server_name (\S+);\s+(?:error_page [^;]+;\s+)+location \/ \{\s+proxy_pass http:\/\/(\w+);/g,
      ),
    ];

    it("serves each face under its public name, shared among the processes", () => {
      const { addresses } = readConfig(written);
      const wanted = (["order", "spot", "widget"] as const).map((face) => ({
        host: new URL(addresses[face].publicUrl).hostname,
        among: processes.map(([host]) => ({ host, port: addresses[face].port })),
      }));
      expect(fronts.map(([, , host, upstream = ""]) => ({ host, among: upstreams.get(upstream) }))).toEqual(wanted);
    });

    it("has a group per process that starts with it, for requests that could not connect", () => {
      for (const [, , , upstream = ""] of fronts) {
        const among = upstreams.get(upstream) ?? [];
        expect([`${upstream}_1`, `${upstream}_2`].map((group) => upstreams.get(group))).toEqual([
          among,
          among.toReversed(),
        ]);
        expect(nginx).toContain(`error_page 502 504 = @aapd_2;\n  }\n  location @aapd_2 {`);
      }
    });

    it("retries requests that were not accepted, and closes idle connections before a stopping process closes them", () => {
      expect(nginx).toMatch(new RegExp(`^proxy_next_upstream http_${NOT_TAKEN} non_idempotent;$`, "m"));
      const seconds = [...nginx.matchAll(/keepalive_timeout (\d+)s;/g)].map(([, text]) => Number(text));
      expect(seconds).toHaveLength(fronts.length);
      for (const each of seconds) expect(each * 1_000).toBeLessThan(readConfig(written).drainMs);
    });

    it("listens where compose connects, and reads the mounted files", () => {
      const { nginx: service } = compose.services;
      expect(new Set(fronts.map(([, port]) => `443:${port}`))).toEqual(new Set(service?.ports));
      const secrets = [...nginx.matchAll(/\/run\/secrets\/([\w.-]+);/g)].map(([, name]) => name);
      expect(secrets).toEqual(service?.secrets);
    });

    const waitsMs = [...nginx.matchAll(/^ *proxy_read_timeout (\d+)s;/gm)].map(
      ([, seconds]) => Number(seconds) * 1_000,
    );
    const [waitMs = 0, receiptsWaitMs = 0] = waitsMs;

    it("passes whatever the service accepts", () => {
      const [, megabytes] = /client_max_body_size (\d+)m;/.exec(nginx) ?? [];
      expect(Number(megabytes) * 1_000_000).toBeGreaterThan(EXPENSE_FILES_MAX * EXPENSE_FILE_BYTES_MAX);
    });

    it("waits longer than any request takes, and so does the widget host, with every permitted setting", () => {
      const paymentMs = PAYMENT_ANSWER_WITHIN_SECONDS_MAX * 1_000;
      // A payment or card change has this time for all its calls; any other request makes one.
      const longestOfWidgetMs = Math.max(paymentMs, CONNECTOR_DEADLINE_MS, LOGO_TIMEOUT_MS + PRINT_TIMEOUT_MS);
      expect(FORWARD_TIMEOUT_MS).toBeGreaterThan(longestOfWidgetMs);
      const longestMs = Math.max(longestOfWidgetMs, CLOCK_ANSWER_WITHIN_SECONDS * 1_000);
      expect(waitMs).toBeGreaterThanOrEqual(longestMs + ANSWER_MARGIN_MS);
      expect(waitMs).toBeGreaterThan(FORWARD_TIMEOUT_MS);
      expect(FORWARD_TIMEOUT_MS).toBeGreaterThanOrEqual(Math.max(paymentMs, CONNECTOR_DEADLINE_MS) + ANSWER_MARGIN_MS);
      expect(DEFAULT_LEASE_MS).toBeGreaterThanOrEqual(paymentMs + ANSWER_MARGIN_MS);
      const fetchesMs = EXPENSE_FILES_MAX * EXPENSE_FETCH_TIMEOUT_SECONDS * 1_000;
      expect(receiptsWaitMs).toBeGreaterThanOrEqual(fetchesMs + ANSWER_MARGIN_MS);
      expect(waitsMs).toHaveLength(2);
    });

    it("writes no address of a request to its logs, only its path without secrets", () => {
      for (const file of [nginx, read("bff/deploy/nginx-console.conf")]) {
        const [, name = "", format = ""] = /log_format (\w+) '([^']*)'/.exec(file) ?? [];
        expect(format).toContain("$path");
        // An error page is a GET, whatever was sent.
        expect(format).toContain("$method");
        expect(format).not.toMatch(
          /\$request\b|\$request_uri|\$uri|\$document_uri|\$args|\$query_string|\$http_referer/,
        );
        expect(file).toMatch(new RegExp(`^access_log \\S+ ${name};$`, "m"));
        // Below this level a line about a request contains its address.
        expect(file).toMatch(/^error_log \S+ alert;$/m);
      }
    });

    it("has a code for the status of each error that it answers itself", () => {
      const [, map = ""] = /map \$status \$error_code \{([^}]*)\}/.exec(nginx) ?? [];
      const coded = [...map.matchAll(/^ {2}(\w+) \w+;$/gm)].map(([, status]) => status);
      const answered = [...nginx.matchAll(/error_page ([\d ]+)(?:=(\d+) )?(?:\/|\$error_place)/g)].flatMap(
        ([, sent = "", instead]) => (instead === undefined ? sent.trim().split(" ") : [instead]),
      );
      expect(coded).toEqual([...new Set(answered)].toSorted());
    });

    it("ignores the address that a caller claims", () =>
      expect(nginx).toContain("proxy_set_header X-Forwarded-For $remote_addr;"));
  });
});

const manifestKinds = {
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  Job,
  NetworkPolicy,
  PodDisruptionBudget,
  Service,
};

describe("Kubernetes", () => {
  const folder = "bff/deploy/kubernetes/";
  const manifests = readdirSync(new URL(folder, root)).flatMap((file) =>
    parseAllDocuments(read(`${folder}${file}`)).map((document) => {
      expect(document.errors, file).toEqual([]);
      return z
        .looseObject({ kind: z.enum(Object.keys(manifestKinds)), metadata: z.looseObject({ name: z.string() }) })
        .parse(document.toJS());
    }),
  );
  const only = <T>(kind: keyof typeof manifestKinds, named = "aapd") =>
    manifests.find(({ kind: its, metadata: { name } }) => its === kind && name.startsWith(named)) as T;
  const [config, deployment, job] = [only<ConfigMap>("ConfigMap"), only<Deployment>("Deployment"), only<Job>("Job")];
  const console = only<Deployment>("Deployment", "aapd-console");
  const pod = deployment.spec?.template.spec;
  const [container] = pod?.containers ?? [];
  const documents = read("bff/docs/start/deployment.md");
  const secrets = Object.fromEntries(
    [...documents.matchAll(/--from-literal=([A-Z_]+)=('[^']*'|\S+)/g)].map(([, name = "", value = ""]) => [
      name,
      value.replaceAll("'", "").replaceAll("…", "something-of-16-letters"),
    ]),
  );
  const variables = { ...config.data, ...secrets };

  it.each(manifests.map((manifest) => [manifest.kind, manifest] as const))(
    "%s matches its schema",
    (kind, manifest) => {
      new manifestKinds[kind as keyof typeof manifestKinds](manifest as never).validate();
    },
  );

  it("gives the service variables that it reads, including those that the documents call secret", () => {
    expect(unknownAmong(Object.keys(variables))).toEqual([]);
    expect(Object.keys(secrets)).toEqual(["DATABASE_URL", "CONNECTOR_TOKEN", "SMTP_URL", "MESSAGING_TOKEN"]);
    expect(container?.envFrom).toEqual([
      { configMapRef: { name: config.metadata?.name } },
      { secretRef: { name: "aapd" } },
    ]);
    expect(readConfig(variables).environment).toBe("production");
    const mounted = pod?.volumes?.find(({ name }) => name === "keyring");
    const place = container?.volumeMounts?.find(({ name }) => name === "keyring")?.mountPath;
    expect([mounted?.secret?.secretName, `${place}/keyring.json`]).toEqual(["aapd-keyring", variables.KEYRING_FILE]);
  });

  it("opens the service's ports for the services and hosts that need them", () => {
    const { addresses, faces, probesPort } = readConfig(variables);
    const ports = Object.fromEntries(container?.ports?.map(({ name, containerPort }) => [name, containerPort]) ?? []);
    const wanted = Object.fromEntries(faces.map((face) => [face, addresses[face].port]));
    expect(ports).toEqual({ ...wanted, probes: probesPort });
    const service = only<Service>("Service").spec?.ports?.map(({ port, targetPort }) => [targetPort, port]);
    expect(Object.fromEntries(service ?? [])).toEqual(wanted);
    const { rules, tls } = only<Ingress>("Ingress").spec ?? {};
    const hosts = rules?.map(({ host, http }) => [http?.paths[0]?.backend.service?.port?.name, host]);
    expect(hosts).toEqual(faces.map((face) => [face, new URL(addresses[face].publicUrl).hostname]));
    expect(tls?.flatMap((each) => each.hosts)).toEqual(hosts?.map(([, host]) => host));
  });

  it("probes the probes' port, and hides it from the proxy in front", () => {
    const { startupProbe, livenessProbe, readinessProbe } = container ?? {};
    expect([startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet)).toEqual(
      ["/healthz", "/healthz", "/readyz"].map((path) => ({ path, port: "probes" })),
    );
    const [faces, probes] = only<NetworkPolicy>("NetworkPolicy").spec?.ingress ?? [];
    expect(faces?.ports?.map(({ port }) => port)).toEqual(readConfig(variables).faces);
    expect(probes?.ports).toEqual([{ port: "probes" }]);
  });

  it("scales from two processes to what a PostgreSQL with 100 connections can serve", () => {
    const {
      minReplicas,
      maxReplicas = 0,
      scaleTargetRef,
    } = only<HorizontalPodAutoscaler>("HorizontalPodAutoscaler").spec ?? {};
    expect([scaleTargetRef?.name, minReplicas]).toEqual([deployment.metadata?.name, deployment.spec?.replicas]);
    expect(maxReplicas * (readConfig(variables).databaseConnectionsMax + 1)).toBeLessThan(100);
  });

  it("may reach DNS, PostgreSQL, HTTPS and mail, but no private address except the database's", () => {
    const [names, database, world, ...others] = only<NetworkPolicy>("NetworkPolicy").spec?.egress ?? [];
    expect([names, database, world].map((rule) => rule?.ports?.map(({ port }) => port))).toEqual([
      [53, 53],
      [5432],
      [443, 465, 587],
    ]);
    expect(others).toEqual([]);
    const block = new BlockList();
    for (const cidr of world?.to?.[0]?.ipBlock?.except ?? []) {
      const [address = "", bits] = cidr.split("/");
      block.addSubnet(address, Number(bits));
    }
    for (const address of ["10.1.2.3", "169.254.169.254", "172.20.0.1", "192.168.1.1", "100.64.0.1"])
      expect(block.check(address), address).toBe(true);
    expect(block.check("8.8.8.8")).toBe(false);
  });

  it("is found by a Prometheus that follows annotations, where its metrics are", () => {
    for (const template of [deployment.spec?.template, console.spec?.template])
      expect(template?.metadata?.annotations).toEqual({
        "prometheus.io/scrape": "true",
        "prometheus.io/port": String(readConfig(variables).probesPort),
        "prometheus.io/path": "/metrics",
      });
  });

  it("waits longer for a readiness probe than the answer may take", () => {
    expect((container?.readinessProbe?.timeoutSeconds ?? 0) * 1_000).toBeGreaterThan(READY_WITHIN_MS);
  });

  it("lets a process drain: it is not ready before it refuses requests, and killed after it has ended", () => {
    const wanted = readConfig(variables);
    const { periodSeconds = 0, failureThreshold = 0 } = container?.readinessProbe ?? {};
    expect(periodSeconds * failureThreshold * 1_000).toBeLessThan(wanted.drainMs);
    expect((pod?.terminationGracePeriodSeconds ?? 0) * 1_000).toBeGreaterThan(stopMs(wanted));
  });

  it("has the console behind a separate proxy, never the one of patients and partners", () => {
    const [own] = console.spec?.template.spec?.containers ?? [];
    const given = Object.fromEntries(own?.env?.map(({ name, value = "" }) => [name, value]) ?? []);
    const { faces, workers, addresses, probesPort } = readConfig({ ...variables, ...given });
    expect([faces, workers, programIn(own?.args ?? [])]).toEqual([["operations"], "off", MAIN]);
    expect(own?.envFrom).toEqual(container?.envFrom);
    const ports = [
      { name: "operations", containerPort: addresses.operations.port },
      { name: "probes", containerPort: probesPort },
    ];
    expect(own?.ports).toEqual(ports);
    expect([own?.livenessProbe, own?.readinessProbe]).toEqual([container?.livenessProbe, container?.readinessProbe]);
    const ingress = only<Ingress>("Ingress", "aapd-console").spec;
    const [rule] = ingress?.rules ?? [];
    expect([rule?.host, rule?.http?.paths[0]?.backend.service]).toEqual([
      new URL(addresses.operations.publicUrl).hostname,
      { name: "aapd-console", port: { name: "operations" } },
    ]);
    expect(ingress?.ingressClassName).not.toBe(only<Ingress>("Ingress").spec?.ingressClassName);
    const [network, probes] = only<NetworkPolicy>("NetworkPolicy", "aapd-console").spec?.ingress ?? [];
    const [others] = only<NetworkPolicy>("NetworkPolicy").spec?.ingress ?? [];
    expect([network?.ports, probes?.ports]).toEqual([[{ port: "operations" }], [{ port: "probes" }]]);
    expect(network?.from).not.toEqual(others?.from);
    const labels = console.spec?.template.metadata?.labels;
    for (const selector of [
      console.spec?.selector.matchLabels,
      only<Service>("Service", "aapd-console").spec?.selector,
    ])
      expect(labels).toMatchObject(selector ?? { none: "" });
    expect(labels).not.toMatchObject(only<Service>("Service").spec?.selector ?? {});
  });

  it.each(CONNECTORS)("runs the connector $name, and opens only its paths", ({ name, paths, readSettings }) => {
    const connector = only<Deployment>("Deployment", `aapd-${name}`);
    const [own] = connector.spec?.template.spec?.containers ?? [];
    const given = Object.fromEntries(own?.env?.map((variable) => [variable.name, variable.value ?? ""]) ?? []);
    const settings = readSettings({ ...connectorVariables(name), ...given });
    expect(programIn(own?.args ?? [])).toBe(connectorProgram(name));
    expect(own?.ports).toEqual([{ name: "connector", containerPort: settings.CONNECTOR_PORT }]);
    const opened = only<Ingress>("Ingress", `aapd-${name}`).spec?.rules?.flatMap(({ http }) => http?.paths ?? []);
    expect(opened?.map(({ path }) => path)).toEqual(paths.map((path) => path.replace(/\/$/, "")));
    const { matchLabels = { none: "" } } = connector.spec?.selector ?? {};
    expect(only<Service>("Service", `aapd-${name}`).spec?.selector).toEqual(matchLabels);
    expect(connector.spec?.template.metadata?.labels).toMatchObject(matchLabels);
  });

  it("never lets its proxy repeat a request that may have been processed", () => {
    const annotated = (named: string) =>
      only<Ingress>("Ingress", named).metadata?.annotations?.["nginx.ingress.kubernetes.io/proxy-next-upstream"];
    expect(annotated("aapd")).toBe(`http_${NOT_TAKEN} non_idempotent`);
    const others = ["console", ...CONNECTORS.map(({ name }) => name)];
    for (const name of others) expect(annotated(`aapd-${name}`)).toBe("off");
  });

  it("keeps one process running while nodes are drained and versions change", () => {
    expect(deployment.spec?.replicas).toBeGreaterThanOrEqual(2);
    expect(deployment.spec?.strategy?.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
    const budget = only<PodDisruptionBudget>("PodDisruptionBudget").spec;
    expect(budget?.maxUnavailable).toBe(1);
    expect(budget?.selector).toEqual(deployment.spec?.selector);
    expect(only<Service>("Service").spec?.selector).toEqual(deployment.spec?.selector.matchLabels);
    expect(deployment.spec?.template.metadata?.labels).toMatchObject(
      deployment.spec?.selector.matchLabels ?? { none: "" },
    );
  });

  it("migrates with a job of this version that has only two variables", () => {
    const [migrate] = job.spec?.template.spec?.containers ?? [];
    const [program = "", ...command] = migrate?.args ?? [];
    expect([programIn([program]), command]).toEqual([AAPD, ["migrate"]]);
    const names = migrate?.env?.map(({ name }) => name) ?? [];
    expect(names).toEqual(["ENVIRONMENT", "DATABASE_URL"]);
    const given = Object.fromEntries(names.map((name) => [name, variables[name]]));
    expect(readDatabaseConfig(given).environment).toBe("production");
    expect(job.metadata?.name).toBe(`aapd-migrate-${version}`);
    expect(documents).toContain(`job/aapd-migrate-${version}`);
    expect(programIn(container?.args ?? [])).toBe(MAIN);
  });

  it("denies writing to the root file system, root and new privileges to every container", () => {
    const connectors = CONNECTORS.map(({ name }) => only<Deployment>("Deployment", `aapd-${name}`));
    const templates = [deployment, console, ...connectors, job].map(({ spec }) => spec?.template);
    for (const { spec } of templates.flatMap((template) => template ?? [])) {
      expect(spec).toMatchObject({ automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } });
      for (const { image, resources, securityContext } of spec?.containers ?? []) {
        expect(image?.endsWith(`/aapd:${version}`)).toBe(true);
        expect([resources?.requests?.memory, resources?.limits?.memory]).toEqual([
          expect.any(String),
          expect.any(String),
        ]);
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        });
      }
    }
  });
});

it("every image is pinned by the digest that its registry answers, with a planted registry", () => {
  const folder = mkdtempSync(join(tmpdir(), "aapd-pins-"));
  try {
    const digest = `sha256:${"0123456789abcdef".repeat(4)}`;
    const paths = [
      "Containerfile",
      "compose.yaml",
      ...readdirSync(new URL("bff/deploy/kubernetes", root)).map((file) => `kubernetes/${file}`),
    ];
    mkdirSync(join(folder, "kubernetes"));
    for (const path of paths) writeFileSync(join(folder, path), read(`bff/deploy/${path}`));
    writeFileSync(join(folder, "docker"), `#!/bin/sh\necho "${digest}"\n`, { mode: 0o755 });
    const environment = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
    const pin = () =>
      execFileSync(fileURLToPath(new URL("bff/deploy/pin-images.sh", root)), paths, {
        cwd: folder,
        env: environment,
        encoding: "utf8",
      });
    expect(pin().trim().split("\n").length).toBeGreaterThanOrEqual(6);
    for (const path of paths) {
      const pinned = readFileSync(join(folder, path), "utf8");
      expect(pinned.replaceAll(`@${digest}`, ""), path).toBe(read(`bff/deploy/${path}`));
      for (const [line] of pinned.matchAll(/^(?: *(?:- )?image:|FROM) .*$/gm))
        expect(line, path).toContain(`@${digest}`);
    }
    // Pinned images stay as they are, and a registry without a digest changes nothing.
    expect(pin()).toBe("");
    writeFileSync(join(folder, "Containerfile"), read("bff/deploy/Containerfile"));
    writeFileSync(join(folder, "docker"), "#!/bin/sh\necho none\n");
    expect(pin).toThrow("gave no digest");
    expect(readFileSync(join(folder, "Containerfile"), "utf8")).toBe(read("bff/deploy/Containerfile"));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("the documents install this version", () => {
  for (const path of ["bff/docs/start/deployment.md", "bff/deploy/Containerfile"])
    expect(read(path)).toContain(`--build-arg ARCHIVE=aapd-${version}-linux-x64.tar.gz --tag aapd:${version} .`);
});
