import { createHash } from "node:crypto";
import { createTransport, type SendMailOptions } from "nodemailer";
import type { SMTPConnectionOptions } from "nodemailer/lib/smtp-connection";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { isBeyondAscii } from "../contract/vocabulary/email.ts";
import { type Clock, stopwatch } from "../platform/clock.ts";
import type { Logger } from "../platform/logger.ts";
import type { Metrics } from "../platform/metrics.ts";
import { CircuitOpen, createCircuit } from "./connector/circuit.ts";
import type { MailAttachment, Messenger, SendingOutcome } from "./messenger.ts";
import { classifySmtpFailure, smtpFailureOf } from "./smtp-failure.ts";

const READ_EXTENSIONS = "READ-EXTENSIONS";

/**
 * Whether a mail server supports addresses beyond ASCII (RFC 6531), checked on a separate connection. Throws if the
 * server cannot be reached.
 */
function hasSmtpUtf8(options: SMTPConnectionOptions): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const connection = new SMTPConnection({
      ...options,
      // The library exposes a server's extensions only to a custom login. This one sends nothing.
      customAuth: {
        [READ_EXTENSIONS]: (session) => {
          resolve(session.extensions.includes("SMTPUTF8"));
          session.resolve();
        },
      },
    });
    connection.on("error", reject);
    connection.on("end", () => reject(new Error("The mail server ended the connection.")));
    connection.connect((failure) => {
      if (failure) return reject(failure);
      connection.login({ method: READ_EXTENSIONS }, () => connection.quit());
    });
  });
}

export interface SmtpConfig {
  readonly host: string;
  readonly port: number;
  /**
   * `tls`: encrypted from the start; `starttls`: upgraded before anything is sent, or the connection fails; `none`: for
   * trials only.
   */
  readonly security: "tls" | "starttls" | "none";
  readonly credentials: { readonly user: string; readonly password: string } | null;
  /** The sender: a name, and an address whose domain is also used in message ids. */
  readonly from: { readonly name: string; readonly address: string };
  /** The limit for connecting, for the server's greeting, and for any silence. */
  readonly timeoutMs: number;
}

const FAILURES_IN_A_ROW_MAX = 5;
const CIRCUIT_OPEN_MS = 30_000;
/** Name resolution, connection, greeting and each reply have separate timeouts. */
const TIMEOUTS_OF_A_MAIL = 10;

/** Sends e-mail over SMTP. */
export interface SmtpMessenger extends Pick<Messenger, "sendEmail"> {
  close(): void;
}

type Sending = Parameters<Messenger["sendEmail"]>[0];

const PARTY = "mails";
const OPERATION = "send-email";

/**
 * The counted outcome of an attempt. `message_rejected`: the server rejects the mail for a reason other than its
 * recipient.
 */
type Attempt =
  | { readonly verdict: "sent" | "deferred" | "message_rejected" }
  | { readonly verdict: "refused"; readonly reason?: "no_smtputf8" };

/**
 * Creates the messenger. A message keeps its `Message-ID` when it is sent again, so that mail programs show it once.
 * Only a permanent error about the recipient is a refusal, as is an address beyond ASCII if the server has no SMTPUTF8.
 * Any other failure is unknown. Only failures of the server itself open the circuit (`smtp-failure.ts`).
 */
export function createSmtpMessenger({
  config,
  clock,
  logger,
  metrics,
}: {
  readonly config: SmtpConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, "gatewayCalled" | "circuitChanged">;
}): SmtpMessenger {
  const connection = connectionOptions(config);
  const transport = openTransport(config, connection);
  const circuit = createCircuit({
    clock,
    failuresMax: FAILURES_IN_A_ROW_MAX,
    openMs: CIRCUIT_OPEN_MS,
    deadlineMs: TIMEOUTS_OF_A_MAIL * config.timeoutMs,
    onChange(state) {
      logger.warn("outside.circuit", { party: PARTY, state });
      metrics.circuitChanged(PARTY, "background", state);
    },
  });

  /** Throws if the server itself failed. */
  async function attempt(
    { messageId, providerId, email }: Sending,
    files: readonly MailAttachment[],
  ): Promise<Attempt> {
    try {
      // The library would send such an address undeclared, and a server may then silently drop the mail.
      if (isBeyondAscii(email.to) && !(await hasSmtpUtf8(connection)))
        return { verdict: "refused", reason: "no_smtputf8" };
      await transport.sendMail(mailOf(config, { messageId, providerId, email, files }));
      return { verdict: "sent" };
    } catch (error) {
      const failure = smtpFailureOf(error);
      const verdict = classifySmtpFailure(failure);
      if (verdict === "server_failed") throw error;
      const { stage, reply } = failure;
      const about = { party: PARTY, operation: OPERATION, provider_id: providerId, outcome: verdict };
      const code = reply?.enhanced == null ? undefined : `smtp:${reply.enhanced}`;
      logger.warn("mails.not_accepted", { ...about, state: stage, status: reply?.code, code });
      return { verdict };
    }
  }

  return {
    async sendEmail(input) {
      // Made before the server is called, so that a file that cannot be made is no failure of the server.
      const files = input.email.attachments === undefined ? [] : await input.email.attachments();
      if (files === null) return { outcome: "unknown" };
      const took = stopwatch();
      const count = (verdict: string) => metrics.gatewayCalled({ party: PARTY, operation: OPERATION, verdict }, took());
      try {
        const attempted = await circuit.run(() => attempt(input, files));
        count(attempted.verdict);
        return outcomeOf(attempted);
      } catch (error) {
        count(error instanceof CircuitOpen ? "circuit_open" : "unanswered");
        const about = { party: PARTY, operation: OPERATION, provider_id: input.providerId };
        logger.warn("outside.call_failed", { ...about, error });
        return { outcome: "unknown" };
      }
    },
    close: () => transport.close(),
  };
}

function outcomeOf(attempt: Attempt): SendingOutcome {
  if (attempt.verdict === "sent") return { outcome: "sent" };
  if (attempt.verdict !== "refused") return { outcome: "unknown" };
  const { reason } = attempt;
  return reason === undefined ? { outcome: "refused" } : { outcome: "refused", reason };
}

function mailOf(
  { from }: SmtpConfig,
  { messageId, email, files }: Sending & { readonly files: readonly MailAttachment[] },
): SendMailOptions {
  const domain = from.address.slice(from.address.indexOf("@") + 1);
  return {
    from,
    // An object is always a single address, whatever it contains; a string could be parsed as several.
    to: { name: "", address: email.to },
    subject: email.subject,
    text: email.text,
    html: email.html,
    attachments: files.map(({ name, type, base64 }) => ({
      filename: name,
      contentType: type,
      content: Buffer.from(base64, "base64"),
    })),
    messageId: `<${createHash("sha256").update(messageId).digest("hex").slice(0, 40)}@${domain}>`,
    headers: { "auto-submitted": "auto-generated" },
  };
}

function connectionOptions({ host, port, security, timeoutMs }: SmtpConfig): SMTPConnectionOptions {
  return {
    host,
    port,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
  };
}

function openTransport({ credentials }: SmtpConfig, connection: SMTPConnectionOptions) {
  return createTransport({
    pool: true,
    ...connection,
    ...(credentials === null ? {} : { auth: { user: credentials.user, pass: credentials.password } }),
    // Prevents a message from making nodemailer read a file or fetch a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}
