/**
 * Where a mail was rejected: before anything of it was sent, at its sender, at its recipient, or at the mail itself.
 */
export type SmtpStage = "connection" | "sender" | "recipient" | "message";

export interface SmtpFailure {
  readonly stage: SmtpStage;
  readonly reply: {
    readonly code: number;
    /** The enhanced status code (RFC 3463), such as `5.1.1`; null if the reply has none. */
    readonly enhanced: string | null;
  } | null;
}

/**
 * - `refused`: the recipient does not exist; the mail ends.
 * - `deferred`: this recipient accepts no mail now; the mail is sent again.
 * - `message_rejected`: rejected for another reason, such as our reputation or quota; the mail is sent again, and
 *   operators are alerted.
 * - `server_failed`: the server accepts no mail at all; the mail is sent again, and the failure counts for the circuit.
 */
export type SmtpVerdict = "refused" | "deferred" | "message_rejected" | "server_failed";

const SERVICE_CLOSING = 421;
/**
 * "mailbox unavailable", "user not local", "mailbox name not allowed": the codes about a recipient, in a reply without
 * an enhanced code.
 */
const OF_RECIPIENT: ReadonlySet<number> = new Set([550, 551, 553]);
/** A bad address (5.1.x) or a disabled mailbox (5.2.1); 5.1.7 and 5.1.8 are about the sender's address. */
const RECIPIENT_GONE = /^5\.(?:1\.(?!0*[78]$)\d+|2\.1)$/;
const MAILBOX_FULL = "5.2.2";
const SYSTEM_TROUBLE = /^4\.3\./;

/** Classifies a failure for its mail and for the mail server. */
export function classifySmtpFailure({ stage, reply }: SmtpFailure): SmtpVerdict {
  if (stage === "connection" || stage === "sender") return "server_failed";
  if (reply === null) return "message_rejected";
  const { code, enhanced } = reply;
  if (code === SERVICE_CLOSING || (enhanced !== null && SYSTEM_TROUBLE.test(enhanced))) return "server_failed";
  if (stage === "message") return "message_rejected";
  if (code < 500 || enhanced?.startsWith("4.") || enhanced === MAILBOX_FULL) return "deferred";
  const isGone = enhanced === null ? OF_RECIPIENT.has(code) : RECIPIENT_GONE.test(enhanced);
  return isGone ? "refused" : "message_rejected";
}

const STAGES: Readonly<Record<string, SmtpStage>> = { "MAIL FROM": "sender", "RCPT TO": "recipient" };

/**
 * Parses an error of the mail library. Its own errors about an envelope or a message have no reply: nothing was sent.
 */
export function smtpFailureOf(error: unknown): SmtpFailure {
  if (!(error instanceof Error) || !("code" in error)) return { stage: "connection", reply: null };
  if (error.code !== "EENVELOPE" && error.code !== "EMESSAGE") return { stage: "connection", reply: null };
  const reply = replyOf(error);
  const command = "command" in error && typeof error.command === "string" ? error.command : "";
  return { stage: reply === null ? "message" : (STAGES[command] ?? "message"), reply };
}

/** A reply may have several lines, with its enhanced code on any of them. */
function replyOf(error: Error): SmtpFailure["reply"] {
  if (!("responseCode" in error) || typeof error.responseCode !== "number") return null;
  const text = "response" in error && typeof error.response === "string" ? error.response : "";
  const enhanced = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})(?![\d.])/m.exec(text)?.[1] ?? null;
  return { code: error.responseCode, enhanced };
}
