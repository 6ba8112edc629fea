import { createHash } from "node:crypto";
import { createTransport } from "nodemailer";
import type { SMTPConnectionOptions } from "nodemailer/lib/smtp-connection";
import { isBeyondAscii } from "../../contract/vocabulary/email.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Logger } from "../../platform/logger.ts";
import { createCircuit } from "../connector/circuit.ts";
import type { Messenger, SendingOutcome } from "./port.ts";
import { hasSmtpUtf8 } from "./smtp-extensions.ts";

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

/** Sends e-mail over SMTP. */
export interface SmtpMessenger extends Pick<Messenger, "sendEmail"> {
  close(): void;
}

/**
 * Creates the messenger. A message keeps its `Message-ID` when it is sent again, so that mail programs show it once. A
 * permanent error of the server (5xx) is a refusal, as is an address beyond ASCII where the server has no SMTPUTF8; any other
 * failure is unknown.
 */
export function createSmtpMessenger({
  config,
  clock,
  logger,
}: {
  readonly config: SmtpConfig;
  readonly clock: Clock;
  readonly logger: Logger;
}): SmtpMessenger {
  const connection = connectionOptions(config);
  const transport = openTransport(config, connection);
  const party = "messenger";
  const circuit = createCircuit({
    clock,
    failuresMax: FAILURES_IN_A_ROW_MAX,
    openMs: CIRCUIT_OPEN_MS,
    onChange: (state) => logger.warn("outside.circuit", { party, state }),
  });
  const domain = config.from.address.slice(config.from.address.indexOf("@") + 1);

  async function send({ messageId, email }: Parameters<Messenger["sendEmail"]>[0]): Promise<SendingOutcome> {
    try {
      // The library would send such an address undeclared, and a server may then drop the mail without a word.
      if (isBeyondAscii(email.to) && !(await hasSmtpUtf8(connection)))
        return { outcome: "refused", reason: "no_smtputf8" };
      await transport.sendMail({
        from: config.from,
        // An object is always a single address, whatever it contains; a string could be parsed as several.
        to: { name: "", address: email.to },
        subject: email.subject,
        text: email.text,
        html: email.html,
        messageId: `<${createHash("sha256").update(messageId).digest("hex").slice(0, 40)}@${domain}>`,
        headers: { "auto-submitted": "auto-generated" },
      });
      return { outcome: "sent" };
    } catch (error) {
      if (isRefusal(error)) return { outcome: "refused" };
      throw error;
    }
  }

  return {
    async sendEmail(input) {
      try {
        return await circuit.run(() => send(input));
      } catch (error) {
        logger.warn("outside.call_failed", { party, operation: "sendEmail", provider_id: input.providerId, error });
        return { outcome: "unknown" };
      }
    },
    close: () => transport.close(),
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

/**
 * Whether the server permanently refused the recipient or the message; a refused login is a configuration error, not a
 * refusal.
 */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error) || !("responseCode" in error)) return false;
  const { code, responseCode } = error;
  const isAboutTheMessage = code === "EENVELOPE" || code === "EMESSAGE";
  return isAboutTheMessage && typeof responseCode === "number" && responseCode >= 500;
}
