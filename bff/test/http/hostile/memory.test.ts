/** @module-tag both-databases */
import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKeyring } from "../../../src/platform/keyring.ts";
import { builtProgram } from "../../built-program.ts";
import { testDatabaseKind } from "../../database.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { cardFor, seal } from "../gateways/start-gateways.ts";
import { checkoutOf } from "../orders/checkout.ts";
import { acceptedConsents, orderBody, present } from "../orders/orders-world.ts";
import { CAMILA, given } from "../spot/people.ts";

/*
 * Secrets leave the service's memory once their requests have ended. The service runs in a separate process; the
 * parties, the mail server and the test run in this one.
 */

const SECRET = Buffer.alloc(32, 1);
const CONNECTOR_TOKEN_PURPOSE = "sandbox.connector_token";

interface MailServer {
  readonly port: number;
  /** The mail with this beginning of its subject, as a mail server receives it; waits until it arrives. */
  mailOf(subject: string): Promise<string>;
  close(): void;
}

async function startMailServer(): Promise<MailServer> {
  const mails: string[] = [];
  const arrivals = new EventEmitter();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData(stream, _session, done) {
      void text(stream).then((mail) => {
        mails.push(mail);
        arrivals.emit("mail");
        done();
      });
    },
  });
  const listener = server.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  if (address === null || typeof address === "string") throw new Error("A server on the loopback has a port.");
  const mailOf = async (subject: string): Promise<string> => {
    const mail = mails.find((each) => each.includes(`Subject: =?UTF-8?Q?${subject}`));
    if (mail !== undefined) return mail;
    await once(arrivals, "mail");
    return mailOf(subject);
  };
  return { port: address.port, mailOf, close: () => server.close() };
}

describe.runIf(testDatabaseKind === "postgres")("the memory of a service that has taken a payment", () => {
  let bff: TestBff;
  let folder: string;
  let service: ChildProcess;
  let mails: MailServer;
  let faces: Map<string, string>;
  let log = "";

  beforeAll(async () => {
    bff = await startBff({ callsOverNetwork: true, now: new Date() });
    folder = await mkdtemp(join(tmpdir(), "aapd-memory-"));
    mails = await startMailServer();
    const keyring = join(folder, "keyring.json");
    await writeFile(keyring, JSON.stringify({ keys: [{ id: "test", secret: SECRET.toString("base64") }] }));
    const connectorUrl = `${bff.sandboxGateways}/connector`;
    const connectorToken = createKeyring({ keys: [{ id: "test", secret: SECRET }], environment: "staging" }).hmac(
      CONNECTOR_TOKEN_PURPOSE,
      "callbacks",
    );
    service = spawn(
      process.execPath,
      [
        // By default, a written heap truncates longer texts.
        "--heap-snapshot-string-limit=10000000",
        ...["--import", builtProgram("test/http/hostile/fixtures/write-heap.ts")],
        builtProgram("src/main.ts"),
      ],
      {
        env: {
          PATH: process.env.PATH,
          ENVIRONMENT: "staging",
          DATABASE_URL: bff.database.url,
          KEYRING_FILE: keyring,
          FILES_DIR: join(folder, "files"),
          FACES: "order,spot",
          ORDER_API_PORT: "0",
          SPOT_API_PORT: "0",
          CONNECTOR_URL: connectorUrl,
          CONNECTOR_TOKEN: connectorToken,
          CARD_CHALLENGE_ORIGIN: bff.sandboxGateways,
          FINANCING_PROVIDER_NAME: "Financiera de Prueba",
          SMTP_URL: `smtp://127.0.0.1:${mails.port}?security=none`,
          MESSAGING_URL: connectorUrl,
          MESSAGING_TOKEN: connectorToken,
        },
        stdio: ["ignore", "pipe", "inherit", "ipc"],
      },
    );
    faces = await listening();
  });
  afterAll(async () => {
    service.kill("SIGKILL");
    mails.close();
    await bff.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function listening(): Promise<Map<string, string>> {
    service.stdout?.on("data", (chunk: Buffer) => {
      log += String(chunk);
    });
    while (!log.includes('"server.ready"')) await once(service.stdout ?? service, "data");
    const lines = log.split("\n").filter((line) => line.includes('"server.listening"'));
    return new Map(
      lines.map((line) => {
        const { face, port } = JSON.parse(line);
        return [face, `http://127.0.0.1:${port}`];
      }),
    );
  }

  /** On a separate connection, which ends with the answer. */
  async function call(face: "order" | "spot", method: string, path: string, body: unknown, headers: object = {}) {
    const sent = request(`${faces.get(face)}${path}`, {
      method,
      agent: false,
      headers: { ...headers, "content-type": "application/json", connection: "close" },
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = await once(sent, "response");
    return { status: response.statusCode, body: JSON.parse(await text(response)) };
  }

  /** The patient requests a code, reads it in the mailbox and types it in. */
  async function answeredCode(key: string): Promise<string> {
    const { body } = await call("spot", "POST", `/api/spot/widget?${key}`, { rut: CAMILA.rut });
    const { widget_token } = body;
    const recovery = { widget_token, rut: CAMILA.rut, way: "email_code" };
    expect((await call("spot", "POST", `/api/spot/user/recovery?${key}`, recovery)).status).toBe(202);
    const code = present(/^\d{6}$/m.exec(await mails.mailOf("Tu_c=C3=B3digo"))?.[0]);
    const typed = { widget_token, rut: CAMILA.rut, code };
    expect((await call("spot", "POST", `/api/spot/user/recovery/verify?${key}`, typed)).status).toBe(200);
    return code;
  }

  /** Everything that the service can still reach after a garbage collection. */
  async function memory(): Promise<Buffer> {
    const path = join(folder, "service.heapsnapshot");
    service.send(path);
    await once(service, "message");
    const bytes = await readFile(path);
    await rm(path);
    return bytes;
  }

  it("holds no card, document, password, client secret or code", async () => {
    const { sandbox } = checkoutOf(bff);
    const { credentials } = bff.clinic;
    const planted = {
      // Not one of the sandbox's secrets, which the documentation contains.
      card: "4970111122223335",
      serial: "987123654",
      password: "clave-plantada-71",
      clientSecret: credentials.client_secret,
      secretKey: credentials.secret_key,
    };
    const asClinic = { authorization: `Bearer ${planted.clientSecret}` };
    const asPatient = { authorization: `Bearer ${credentials.client_id}` };
    const key = `public_key=${credentials.public_key}`;

    const created = await call(
      "order",
      "POST",
      "/orders",
      orderBody({ total: 45_952, rut: CAMILA.rut, reference: "memory" }),
      asClinic,
    );
    expect(created.status).toBe(201);
    const { hash } = created.body;
    const minted = await call("spot", "POST", `/api/spot/widget?${key}`, { order_token: hash });
    const iat = Math.floor(Date.now() / 1_000);
    const access = { insurer: "colmena", rut: CAMILA.rut, password: planted.password, iat };
    const signUp = await call("spot", "POST", `/api/spot/user?${key}`, {
      ...CAMILA,
      widget_token: minted.body.widget_token,
      consents: given("onboarding", "insurer_access"),
      sealed_insurer_access: await seal(await sandbox.insurer.sealingKey(), access),
    });
    expect(signUp.status).toBe(201);
    const serial = { document_serial: planted.serial };
    const identified = await call("order", "POST", `/orders/${hash}/validate_customer_identity`, serial, asPatient);
    expect(identified.status).toBe(200);
    const card = cardFor(hash, new Date(), { number: planted.card });
    const sealed_card = await seal(await sandbox.cardProcessor.sealingKey(), card);
    const added = await call("order", "POST", `/orders/${hash}/add_payment_method`, { sealed_card }, asPatient);
    expect(added.status).toBe(200);
    const consents = { consents: acceptedConsents };
    const paid = await call("order", "POST", `/orders/${hash}/payment`, consents, asPatient);
    expect(paid.body).toMatchObject({ payment: { status: "succeeded" } });
    await mails.mailOf("Tu_pago_en");
    const code = await answeredCode(key);
    const endpoints = await call("spot", "GET", `/api/webhook_endpoints?${key}`, undefined, {
      "x-secret-key": planted.secretKey,
    });
    expect(endpoints.status).toBe(200);

    const held = await memory();
    const holds = (secret: string) => held.includes(secret);
    expect(Object.entries({ ...planted, code: `"${code}"` }).filter(([, secret]) => holds(secret))).toEqual([]);
    // The service always has its settings in memory, so finding them proves that the search works.
    expect(holds("Financiera de Prueba")).toBe(true);
  });
});
