import * as z from "zod";

/**
 * The sandbox's own calls, which exist in staging only. A clinic's real back end has no use for this file: it moves time,
 * reads the mail that patients would get, and lets the insurer decide, so that weeks can be tried out in a minute.
 */
export interface Sandbox {
  readTime(): Promise<SandboxTime>;
  /** Does on the way all that falls due. It may take longer than one answer: then some of it remains. No days: the rest. */
  passDays(days: number): Promise<SandboxTime>;
  /** The mail of one address, newest first. */
  readNotices(email: string): Promise<readonly WholeNotice[]>;
  /** The messages on one telephone, newest first. */
  readMessages(phone: string): Promise<readonly PhoneMessage[]>;
  settleClaim(orderHash: string, outcome: ClaimOutcome): Promise<void>;
}

export interface SandboxTime {
  /** ISO 8601; the clinic's own time, which may be ahead of the real one. */
  readonly now: string;
  /** How much of a jump is still to be made; 0 when it has arrived. */
  readonly remainingSeconds: number;
}

/** A mail. */
export interface Notice {
  readonly id: string;
  readonly sentAt: string;
  readonly subject: string;
  readonly text: string;
}

/** A short message, as it stands on the telephone. */
export interface PhoneMessage {
  readonly id: string;
  readonly sentAt: string;
  readonly text: string;
}

/** All that a patient was told. */
export interface Told {
  readonly mails: readonly Notice[];
  readonly messages: readonly PhoneMessage[];
}

/** A notice with both of its parts. `html` is a document that somebody else wrote: show it only where it can do nothing. */
export interface WholeNotice extends Notice {
  readonly html: string;
}

export const claimOutcomeSchema = z.enum(["approve", "reject", "block", "unblock"]);
export type ClaimOutcome = z.infer<typeof claimOutcomeSchema>;

/** Thrown when the sandbox refuses or cannot be reached. */
export class SandboxFailed extends Error {
  override name = "SandboxFailed";
}

const clockSchema = z.object({ now: z.string(), remaining_seconds: z.number() });
const noticesSchema = z.object({
  notices: z.array(
    z.object({ id: z.string(), sent_at: z.string(), subject: z.string(), text: z.string(), html: z.string() }),
  ),
});
const messagesSchema = z.object({
  messages: z.array(z.object({ id: z.string(), sent_at: z.string(), text: z.string() })),
});

/** The service answers a move of the clock within 30 seconds, done or not. */
const ANSWER_WITHIN_MS = 45_000;

function timeOf(answer: unknown): SandboxTime {
  const { now, remaining_seconds: remainingSeconds } = clockSchema.parse(answer);
  return { now, remainingSeconds };
}

export function createSandbox(options: { readonly orderApiUrl: string; readonly clientSecret: string }): Sandbox {
  async function call(method: "GET" | "PUT", path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(new URL(path, options.orderApiUrl), {
      method,
      headers: { authorization: `Bearer ${options.clientSecret}`, "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
      redirect: "error",
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    }).catch((cause: unknown) => {
      throw new SandboxFailed("El ambiente de pruebas no responde.", { cause });
    });
    if (response.ok) return response.json();
    await response.body?.cancel();
    throw new SandboxFailed(
      response.status === 404
        ? "No hay un reembolso ingresado."
        : `El ambiente de pruebas respondió ${response.status}.`,
    );
  }

  return {
    readTime: async () => timeOf(await call("GET", "/sandbox/clock")),
    passDays: async (days) => timeOf(await call("PUT", "/sandbox/clock", { advance: `${days}d` })),
    async readNotices(email) {
      const answer = await call("GET", `/sandbox/notices?${new URLSearchParams({ to: email })}`);
      return noticesSchema.parse(answer).notices.map(({ sent_at: sentAt, ...notice }) => ({ ...notice, sentAt }));
    },
    async readMessages(phone) {
      const answer = await call("GET", `/sandbox/notices?${new URLSearchParams({ to: phone })}`);
      return messagesSchema.parse(answer).messages.map(({ sent_at: sentAt, ...message }) => ({ ...message, sentAt }));
    },
    async settleClaim(orderHash, outcome) {
      await call("PUT", `/sandbox/claims/${encodeURIComponent(orderHash)}`, { outcome });
    },
  };
}
