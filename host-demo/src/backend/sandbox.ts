import * as z from "zod";

/**
 * The sandbox's calls, which exist in staging only. They move time, read the patients' mail and let the insurer decide,
 * so that weeks can be tried in a minute. A clinic's real back end does not need this file.
 */
export interface Sandbox {
  readTime(): Promise<SandboxTime>;
  /**
   * Moves the time and runs everything that falls due on the way. A long move is answered before it is complete; zero
   * days continue it.
   */
  passDays(days: number): Promise<SandboxTime>;
  /** The mails to one address, newest first. */
  readNotices(email: string): Promise<readonly WholeNotice[]>;
  /** The messages to one telephone, newest first. */
  readMessages(phone: string): Promise<readonly PhoneMessage[]>;
  settleClaim(orderHash: string, outcome: ClaimOutcome): Promise<void>;
}

export interface SandboxTime {
  /** The clinic's own time in ISO 8601; it may be ahead of real time. */
  readonly now: string;
  /** How much of a move is left; 0 when it is complete. */
  readonly remainingSeconds: number;
}

export interface Notice {
  readonly id: string;
  readonly sentAt: string;
  readonly subject: string;
  readonly text: string;
}

/** A text message on the telephone. */
export interface PhoneMessage {
  readonly id: string;
  readonly sentAt: string;
  readonly text: string;
}

/** All mails and messages to a patient. */
export interface PatientMessages {
  readonly mails: readonly Notice[];
  readonly messages: readonly PhoneMessage[];
}

/** A mail with both of its parts. `html` is untrusted: show it only in a sandbox. */
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

/** Longer than the 30 seconds within which the service answers a move of the clock, whether complete or not. */
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
