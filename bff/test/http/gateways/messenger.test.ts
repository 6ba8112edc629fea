import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { replaceFaults } from "../../../sandbox/calls/gateway-call-store.ts";
import { listEmails, listMessages } from "../../../sandbox/messenger/messenger-store.ts";
import { emailSchema } from "../../../src/contract/vocabulary/email.ts";
import type { Messenger } from "../../../src/gateways/messenger.ts";
import { createSmtpMessenger, type SmtpMessenger } from "../../../src/gateways/smtp-adapter.ts";
import { type MovableClock, movableClock } from "../../../src/platform/clock.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { phoneOf, type StartedGateways, startGateways, WAYS } from "./start-gateways.ts";

interface ReceivedMail {
  readonly recipients: readonly string[];
  readonly isDeclaredUtf8: boolean;
  readonly raw: string;
}

const mails: ReceivedMail[] = [];
let isDown = false;
let server: SMTPServer;
let port: number;
/** The server's reply to each command; without one it accepts. The text begins with the enhanced code, if any. */
let replies: Partial<Record<"AUTH" | "MAIL" | "RCPT" | "DATA", readonly [code: number, text: string]>> = {};
/** A mail server that accepts only ASCII addresses. */
let plainServer: SMTPServer;
let plainPort: number;

function refusal(code: number, text = "no"): Error {
  return Object.assign(new Error(text), { responseCode: code });
}
const repliedTo = (command: keyof typeof replies) => {
  const reply = replies[command];
  return reply === undefined ? null : refusal(...reply);
};

function mailServer({ hideSMTPUTF8 = false } = {}): SMTPServer {
  return new SMTPServer({
    authOptional: true,
    hideSMTPUTF8,
    hideENHANCEDSTATUSCODES: true,
    disabledCommands: ["STARTTLS"],
    onConnect: (_session, done) => done(isDown ? refusal(421) : null),
    onAuth: (_auth, _session, done) => done(repliedTo("AUTH"), { user: "aapd" }),
    onMailFrom: (_address, _session, done) => done(repliedTo("MAIL")),
    onRcptTo({ address }, _session, done) {
      if (replies.RCPT !== undefined) return done(repliedTo("RCPT"));
      if (address === "rebota@example.com") return done(refusal(550));
      done(address === "silencio@example.com" ? refusal(451) : null);
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const raw = Buffer.concat(chunks).toString();
        if (replies.DATA !== undefined) return done(repliedTo("DATA"));
        const { rcptTo, smtpUtf8 } = session.envelope;
        mails.push({ recipients: rcptTo.map(({ address }) => address), isDeclaredUtf8: smtpUtf8 === true, raw });
        done();
      });
    },
  });
}

async function listen(mailing: SMTPServer): Promise<number> {
  await new Promise<void>((resolve) => mailing.listen(0, "127.0.0.1", resolve));
  return (mailing.server.address() as AddressInfo).port;
}

beforeAll(async () => {
  [server, plainServer] = [mailServer(), mailServer({ hideSMTPUTF8: true })];
  [port, plainPort] = [await listen(server), await listen(plainServer)];
});
afterAll(() =>
  Promise.all([server, plainServer].map((mailing) => new Promise<void>((resolve) => mailing.close(() => resolve())))),
);

interface Overrides {
  readonly port: number;
  readonly security: "none" | "starttls";
  readonly credentials: { readonly user: string; readonly password: string };
}

function openMessenger(overrides: Partial<Overrides> = {}): {
  messenger: SmtpMessenger;
  clock: MovableClock;
  log: () => string;
  verdicts: () => readonly string[];
} {
  const clock = movableClock(new Date("2026-11-21T15:00:00Z"));
  const lines: string[] = [];
  const verdicts: string[] = [];
  const messenger = createSmtpMessenger({
    config: {
      host: "127.0.0.1",
      port: overrides.port ?? port,
      security: overrides.security ?? "none",
      credentials: overrides.credentials ?? null,
      from: { name: "Paga después", address: "no-responder@aapd.example" },
      timeoutMs: 60_000,
    },
    clock,
    logger: createLogger({ level: "debug", destination: { write: (line) => lines.push(line) } }),
    metrics: { gatewayCalled: ({ verdict }) => void verdicts.push(verdict), circuitChanged: () => undefined },
  });
  return { messenger, clock, log: () => lines.join(""), verdicts: () => verdicts };
}

const emailTo = (to: string, subject = "Tu comprobante de pago") => ({
  to,
  subject,
  text: "Hola, Ñusta: pagaste $12.000.",
  html: "<p>Hola, Ñusta: pagaste $12.000.</p>",
});

describe.each(["the sandbox", "the adapter over SMTP"])("a messenger: %s", (way) => {
  let started: StartedGateways;
  let messenger: Pick<Messenger, "sendEmail">;
  let close = (): void => undefined;
  beforeAll(async () => {
    started = await startGateways();
    if (way === "the sandbox") {
      messenger = started.sandbox.messenger;
      return;
    }
    const opened = openMessenger().messenger;
    messenger = opened;
    close = () => opened.close();
  });
  afterAll(async () => {
    close();
    await started.stop();
  });

  it.each([
    ["camila@example.com", "sent"],
    ["rebota@example.com", "refused"],
    ["silencio@example.com", "unknown"],
    ["ñandú@example.cl", "sent"],
  ])("mail to %s is %s", async (to, outcome) => {
    const sending = { messageId: systemIds.uuid(), providerId: systemIds.uuid(), email: emailTo(to) };
    expect(await messenger.sendEmail(sending)).toEqual({ outcome });
    expect(await messenger.sendEmail(sending)).toEqual({ outcome });
  });
});

describe.each(WAYS)("a gateway for messages: %s", (way) => {
  let started: StartedGateways;
  beforeAll(async () => {
    started = await startGateways();
  });
  afterAll(() => started.stop());

  const messageTo = (number: string) => ({
    messageId: systemIds.uuid(),
    providerId: systemIds.uuid(),
    message: { to: phoneOf(number), text: "Recibimos tu pago de $12.000." },
  });
  const box = (providerId: string) => listMessages(started.database.db, { providerId, to: null, limit: 10 });

  it.each([
    ["+56 9 0000 0001", { outcome: "refused", reason: "number_unknown" }],
    ["+56 9 0000 0002", { outcome: "unknown" }],
    ["+56 9 0000 0003", { outcome: "refused", reason: "opted_out" }],
  ])("a message to %s has the specified outcome every time, and reaches no one", async (number, outcome) => {
    const { messenger } = started.parties(way);
    const sending = messageTo(number);
    expect(await messenger.sendMessage(sending)).toEqual(outcome);
    expect(await messenger.sendMessage(sending)).toEqual(outcome);
    expect(await box(sending.providerId)).toEqual([]);
  });

  it("a message arrives once, however often it is sent", async () => {
    const { messenger } = started.parties(way);
    const sending = messageTo("+56 9 1234 5678");
    await Promise.all([messenger.sendMessage(sending), messenger.sendMessage(sending)]);
    expect(await messenger.sendMessage(sending)).toEqual({ outcome: "sent" });
    expect(await box(sending.providerId)).toMatchObject([{ messageId: sending.messageId, ...sending.message }]);
  });

  it("a message whose answer is lost is unknown, and arrives when it is sent again", async () => {
    const { messenger } = started.parties(way);
    const sending = messageTo("+56 9 1234 5678");
    const { providerId } = sending;
    const faults = [
      { party: "messenger", method: "sendMessage", kind: "fail_before", calls: 1 },
      { party: "messenger", method: "sendMessage", kind: "fail_after", calls: 1 },
    ] as const;
    await inTransaction(started.database.db, (tx) => replaceFaults(tx, providerId, faults));
    expect(await messenger.sendMessage(sending)).toEqual({ outcome: "unknown" });
    expect(await box(providerId)).toHaveLength(0);
    expect(await messenger.sendMessage(sending)).toEqual({ outcome: "unknown" });
    expect(await messenger.sendMessage(sending)).toEqual({ outcome: "sent" });
    expect(await box(providerId)).toHaveLength(1);
  });

  it("the log contains nothing of a message", async () => {
    await started.parties(way).messenger.sendMessage(messageTo("+56 9 0000 0002"));
    expect(started.log()).not.toMatch(/56900000002|12\.000/);
  });
});

describe("the adapter over SMTP", () => {
  async function send(input: Partial<Parameters<Messenger["sendEmail"]>[0]> = {}) {
    const { messenger, log } = openMessenger();
    mails.length = 0;
    const sending = {
      messageId: "receipt:1",
      providerId: systemIds.uuid(),
      email: emailTo("camila@example.com"),
      ...input,
    };
    const outcomes = [await messenger.sendEmail(sending), await messenger.sendEmail(sending)];
    messenger.close();
    return { outcomes, log: log() };
  }

  it("sends a mail's files with their names and types", async () => {
    const file = { name: "comprobante.pdf", type: "application/pdf", base64: "JVBERi0xLjcK" };
    await send({ email: { ...emailTo("camila@example.com"), attachments: async () => [file] } });
    const [raw = ""] = mails.map((mail) => mail.raw);
    expect(raw).toMatch(/Content-Type: application\/pdf; name=comprobante\.pdf/);
    expect(raw).toContain("JVBERi0xLjcK");
  });

  it("sends nothing while a mail's files cannot be made", async () => {
    const { outcomes } = await send({ email: { ...emailTo("camila@example.com"), attachments: async () => null } });
    expect([outcomes, mails]).toEqual([[{ outcome: "unknown" }, { outcome: "unknown" }], []]);
  });

  it("sends text and HTML, recognisable as one mail however often it is sent", async () => {
    await send();
    expect(mails).toHaveLength(2);
    const [first = "", second = ""] = mails.map(({ raw }) => raw);
    expect(first).toMatch(/^From: =\?UTF-8\?.*<no-responder@aapd\.example>/im);
    expect(first).toMatch(/text\/plain/);
    expect(first).toMatch(/text\/html/);
    expect(first).toMatch(/^Auto-Submitted: auto-generated/im);
    const idOf = (raw: string) => /^Message-ID: (<[0-9a-f]{40}@aapd\.example>)/im.exec(raw)?.[1];
    expect(idOf(first)).toBeDefined();
    expect(idOf(second)).toBe(idOf(first));
  });

  it("cannot be sent to further recipients by an injected address", async () => {
    for (const to of ["camila@example.com, other@example.com", "camila@example.com\r\nRCPT TO:<other@example.com>"]) {
      await send({ email: emailTo(to) });
      expect(mails.flatMap(({ recipients }) => recipients)).not.toContain("other@example.com");
    }
  });

  it("cannot get further headers by an injected subject", async () => {
    await send({ email: emailTo("camila@example.com", "Hola\r\nBcc: other@example.com") });
    expect(mails).toHaveLength(2);
    for (const { recipients, raw } of mails) {
      expect(recipients).toEqual(["camila@example.com"]);
      expect(raw).not.toMatch(/^Bcc:/im);
    }
  });

  describe("a mail that the server refuses", () => {
    const CREDENTIALS = { user: "aapd", password: "secret" };
    const ATTEMPTS = 6;

    /** The server answers six mails like this, then accepts one. */
    async function sendMany(scripted: typeof replies) {
      const { messenger, log, verdicts } = openMessenger({ credentials: CREDENTIALS });
      mails.length = 0;
      replies = scripted;
      const send = () =>
        messenger.sendEmail({ messageId: "m", providerId: systemIds.uuid(), email: emailTo("camila@example.com") });
      const outcomes = [];
      for (let time = 0; time < ATTEMPTS; time += 1) outcomes.push((await send()).outcome);
      replies = {};
      const next = (await send()).outcome;
      messenger.close();
      expect(log()).not.toMatch(/camila|secret/);
      expect(mails).toHaveLength(next === "sent" ? 1 : 0);
      return { outcomes: [...new Set(outcomes)], verdicts: [...new Set(verdicts())], next };
    }

    it.each([
      ["an unknown mailbox", { RCPT: [550, "5.1.1 <camila@example.com>: no such user"] }, "refused", "refused"],
      ["a disabled mailbox", { RCPT: [550, "5.2.1 disabled"] }, "refused", "refused"],
      ["a bare 550", { RCPT: [550, "no such user here"] }, "refused", "refused"],
      ["a full mailbox", { RCPT: [552, "5.2.2 mailbox full"] }, "unknown", "deferred"],
      ["greylisting", { RCPT: [451, "4.7.1 greylisted, try again in 300 seconds"] }, "unknown", "deferred"],
      ["a recipient's hourly limit", { RCPT: [450, "4.2.1 receives mail too quickly"] }, "unknown", "deferred"],
      ["our bad reputation", { RCPT: [550, "5.7.1 blocked"] }, "unknown", "message_rejected"],
      ["our sender's address", { RCPT: [550, "5.1.8 sender unknown"] }, "unknown", "message_rejected"],
      ["our quota", { RCPT: [550, "5.4.5 daily quota exceeded"] }, "unknown", "message_rejected"],
      ["a suspected spam", { DATA: [554, "5.7.1 spam"] }, "unknown", "message_rejected"],
      ["a bare 550 about the text", { DATA: [550, "no"] }, "unknown", "message_rejected"],
      ["greylisting after the text", { DATA: [451, "4.7.1 later"] }, "unknown", "message_rejected"],
    ] as const)("%s delays no mails to others", async (_name, scripted, outcome, verdict) => {
      const sent = await sendMany(scripted);
      expect(sent).toEqual({ outcomes: [outcome], verdicts: [verdict, "sent"], next: "sent" });
    });

    it.each([
      ["a refused login", { AUTH: [535, "5.7.8 bad credentials"] }],
      ["a refused sender", { MAIL: [550, "5.7.1 not verified"] }],
      ["a server that closes", { RCPT: [421, "4.7.0 closing"] }],
      ["a full disk", { RCPT: [452, "4.3.1 no space"] }],
      ["trouble of the system after the text", { DATA: [451, "4.3.0 trouble"] }],
    ] as const)("%s pauses calls for a while, and fails no mail", async (_name, scripted) => {
      const sent = await sendMany(scripted);
      expect(sent).toEqual({ outcomes: ["unknown"], verdicts: ["unanswered", "circuit_open"], next: "unknown" });
    });
  });

  it("never sends in the clear if encryption is configured", async () => {
    const { messenger } = openMessenger({ security: "starttls" });
    mails.length = 0;
    const sending = { messageId: "m", providerId: systemIds.uuid(), email: emailTo("camila@example.com") };
    expect(await messenger.sendEmail(sending)).toEqual({ outcome: "unknown" });
    expect(mails).toEqual([]);
    messenger.close();
  });

  describe("to an address beyond ASCII", () => {
    async function sendTo(text: string, overrides: Parameters<typeof openMessenger>[0]) {
      const { messenger, log } = openMessenger(overrides);
      mails.length = 0;
      const email = emailTo(emailSchema.parse(text));
      const outcome = await messenger.sendEmail({ messageId: "m", providerId: systemIds.uuid(), email });
      messenger.close();
      expect(log()).not.toMatch(/and.?[uú]|example/);
      return outcome;
    }

    it("is sent by SMTPUTF8 if the part before the @ is beyond ASCII", async () => {
      expect(await sendTo("Ñandú@example.cl", { port })).toEqual({ outcome: "sent" });
      expect(mails).toMatchObject([{ recipients: ["ñandú@example.cl"], isDeclaredUtf8: true }]);
      expect(mails[0]?.raw).toMatch(/^To: <?ñandú@example\.cl>?/im);
    });

    it.each(["port", "plainPort"] as const)("is sent with an ASCII domain to any server (%s)", async (of) => {
      const outcome = await sendTo("a@ñandú.cl", { port: { port, plainPort }[of] });
      expect(outcome).toEqual({ outcome: "sent" });
      // The server shows decoded domains; on the wire they are ASCII, as in the header.
      expect(mails).toMatchObject([{ recipients: ["a@ñandú.cl"], isDeclaredUtf8: false }]);
      expect(mails[0]?.raw).toMatch(/^To: <?a@xn--and-6ma2c\.cl>?/im);
    });

    it("is refused with its cause, and nothing is sent, if the server lacks SMTPUTF8", async () => {
      const refused = { outcome: "refused", reason: "no_smtputf8" };
      expect(await sendTo("ñandú@ñandú.cl", { port: plainPort })).toEqual(refused);
      expect(mails).toEqual([]);
    });

    it("is unknown if the server does not answer, or never encrypts", async () => {
      isDown = true;
      expect(await sendTo("ñandú@example.cl", { port })).toEqual({ outcome: "unknown" });
      isDown = false;
      expect(await sendTo("ñandú@example.cl", { port, security: "starttls" })).toEqual({ outcome: "unknown" });
      expect(mails).toEqual([]);
    });
  });

  it("does not call a server that fails repeatedly, and retries after 30 seconds", async () => {
    const { messenger, clock, log } = openMessenger();
    const sending = { messageId: "m", providerId: systemIds.uuid(), email: emailTo("camila@example.com") };
    isDown = true;
    for (let time = 0; time < 5; time += 1) expect(await messenger.sendEmail(sending)).toEqual({ outcome: "unknown" });
    isDown = false;
    expect(await messenger.sendEmail(sending)).toEqual({ outcome: "unknown" });
    clock.advance(30_000);
    expect(await messenger.sendEmail(sending)).toEqual({ outcome: "sent" });
    expect(log()).toContain("outside.circuit");
    expect(log()).not.toContain("camila");
    messenger.close();
  });
});

describe("the sandbox's mailbox", () => {
  let started: StartedGateways;
  beforeAll(async () => {
    started = await startGateways();
  });
  afterAll(() => started.stop());

  it("has each mail once, of one provider, newest first, under the provider's time", async () => {
    const { messenger } = started.sandbox;
    const providerId = systemIds.uuid();
    const first = { messageId: "m1", providerId, email: emailTo("camila@example.com", "uno") };
    await Promise.all([messenger.sendEmail(first), messenger.sendEmail(first)]);
    started.clock.advance(1_000);
    await messenger.sendEmail({ messageId: "m2", providerId, email: emailTo("otra@example.com", "dos") });
    await messenger.sendEmail({ ...first, providerId: systemIds.uuid() });
    const read = (to: string | null) => listEmails(started.database.db, { providerId, to, limit: 10 });
    expect((await read(null)).map(({ subject }) => subject)).toEqual(["dos", "uno"]);
    expect(await read("camila@example.com")).toMatchObject([{ messageId: "m1", ...first.email }]);
  });

  it("fails as a tenant requested", async () => {
    const { messenger } = started.sandbox;
    const providerId = systemIds.uuid();
    const faults = [
      { party: "messenger", method: "sendEmail", kind: "fail_before", calls: 1 },
      { party: "messenger", method: "sendEmail", kind: "fail_after", calls: 1 },
    ] as const;
    await inTransaction(started.database.db, (tx) => replaceFaults(tx, providerId, faults));
    const sending = { messageId: "m1", providerId, email: emailTo("camila@example.com") };
    const box = () => listEmails(started.database.db, { providerId, to: null, limit: 10 });
    expect(await messenger.sendEmail(sending)).toEqual({ outcome: "unknown" });
    expect(await box()).toHaveLength(0);
    expect(await messenger.sendEmail(sending)).toEqual({ outcome: "unknown" });
    expect(await box()).toHaveLength(1);
    expect(await messenger.sendEmail(sending)).toEqual({ outcome: "sent" });
    expect(await box()).toHaveLength(1);
  });
});
