import type { SandboxCallSent, TamperCall } from "../sim/instance-parties.ts";

/** Calls by which money or a loan moves, and the inquiries about them: each waits until the trace says what becomes of it. */
const HELD = [
  "authoriseLoan",
  "inquireLoan",
  "authenticate",
  "inquireAuthentication",
  "charge",
  "inquireCharge",
  "confirmLoan",
  "inquireConfirmation",
  "reduceLoan",
  "inquireReduction",
  "returnCharge",
  "inquireReturn",
];

/** A call that a process of the service is about to make. */
export interface HeldCall {
  readonly key: string;
  readonly isInquiry: boolean;
  /** The call arrives, once or twice, and the process hears the answer. */
  answer(times?: number): void;
  /** The process hears nothing; `arrives`: the call was there all the same. */
  lose(arrives: boolean): void;
  /** The call arrives, and the process that made it never hears of it. */
  arriveUnheard(): Promise<void>;
}

export interface HeldCalls {
  readonly tamper: () => TamperCall;
  /** Those that wait now, oldest first. */
  all(): readonly HeldCall[];
  find(matches: (key: string) => boolean): HeldCall | undefined;
  /** Their process is dead. */
  forget(): void;
}

export function holdCalls(): HeldCalls {
  const held: HeldCall[] = [];
  const tamper: () => TamperCall =
    () =>
    ({ method, given }, send) =>
      HELD.includes(method) ? hold(held, { method, given, send }) : send(given);
  return {
    tamper,
    all: () => [...held],
    find: (matches) => held.find(({ key }) => matches(key)),
    forget: () => {
      held.length = 0;
    },
  };
}

interface Sending extends Pick<SandboxCallSent, "method" | "given"> {
  readonly send: (given: readonly unknown[]) => Promise<unknown>;
}

const UNKNOWN = { outcome: "unknown" };

function hold(held: HeldCall[], { method, given, send }: Sending): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (answer: Promise<unknown>) => {
      held.splice(held.indexOf(call), 1);
      answer.then(resolve, reject);
    };
    const call: HeldCall = {
      key: keyOf(given),
      isInquiry: method.startsWith("inquire"),
      answer: (times = 1) => settle(times === 1 ? send(given) : send(given).then(() => send(given))),
      lose: (arrives) => settle(arrives ? send(given).then(() => UNKNOWN) : Promise.resolve(UNKNOWN)),
      arriveUnheard: async () => void (await send(given)),
    };
    held.push(call);
  });
}

function keyOf([call]: readonly unknown[]): string {
  const isKeyed = typeof call === "object" && call !== null && "idempotencyKey" in call;
  return isKeyed ? String(call.idempotencyKey) : "";
}
