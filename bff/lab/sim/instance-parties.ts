import { GatewayUnavailable } from "../../src/gateways/gateway-call.ts";
import type { Gateways } from "../../src/gateways/gateways.ts";
import { cellOf } from "./coverage.ts";
import { type InstanceLife, never } from "./instance-life.ts";
import type { Stage } from "./stage.ts";
import type { Trouble } from "./trouble.ts";

/** Calls whose answers the driver holds back. */
export interface SlowCalls {
  /** Resolves when the driver releases the call. */
  hold(): Promise<void>;
  /** Releases the oldest. Returns whether there was one. */
  release(): boolean;
}

export function createSlowCalls(): SlowCalls {
  const held: (() => void)[] = [];
  return {
    hold: () =>
      new Promise((resolve) => {
        held.push(resolve);
      }),
    release() {
      const next = held.shift();
      next?.();
      return next !== undefined;
    },
  };
}

/** A call to a party. A planted bug may replace it. */
export interface SandboxCallSent {
  readonly party: string;
  readonly method: string;
  readonly given: readonly unknown[];
}
export type TamperCall = (
  call: SandboxCallSent,
  send: (given: readonly unknown[]) => Promise<unknown>,
) => Promise<unknown>;

type ReadOf<Party> = {
  [Name in keyof Party]: Party[Name] extends (...given: never[]) => Promise<infer Answer>
    ? [Answer] extends [{ readonly outcome: string }]
      ? never
      : Name
    : never;
}[keyof Party];
type Read = { [Party in Exclude<keyof Gateways, "close">]: ReadOf<Gateways[Party]> }[Exclude<keyof Gateways, "close">];

/** Calls without an effect, whose answer has no outcome. They fail instead of staying unknown. */
const READS: Readonly<Record<Read, true>> = {
  sealingKey: true,
  cardPage: true,
  cardPageDisplay: true,
  removesCards: true,
  chargeLimits: true,
  listMovements: true,
  listSettlements: true,
  listLoans: true,
  listTransfers: true,
  listDocuments: true,
  listKeptCards: true,
};
/** Calls in which the parties' cryptography works on other threads. */
const OPENS_SEALED = ["registerCard", "fileClaim", "sealingKey", "cardPage"];

/** The parties as one instance reaches them: through a network that loses, delays or duplicates calls and answers. */
export function watchGateways(
  parties: Gateways,
  life: InstanceLife,
  slow: SlowCalls,
  tamper: TamperCall | null,
): Gateways {
  const watch = <Party extends object>(party: string, target: Party): Party =>
    new Proxy(target, {
      get(_target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        const method = String(name);
        const send = (given: readonly unknown[]) =>
          sendOnce(life.stage, method, () => Reflect.apply(value, target, given));
        return (...given: unknown[]) =>
          callThroughNetwork(life, slow, { party, method, given }, (sent) =>
            tamper === null ? send(sent) : tamper({ party, method, given: sent }, send),
          );
      },
    });
  return {
    cardProcessor: watch("cardProcessor", parties.cardProcessor),
    financingProvider: watch("financingProvider", parties.financingProvider),
    identityRegistry: watch("identityRegistry", parties.identityRegistry),
    insurer: watch("insurer", parties.insurer),
    messenger: watch("messenger", parties.messenger),
    bank: watch("bank", parties.bank),
    taxDocuments: watch("taxDocuments", parties.taxDocuments),
    close: async () => undefined,
  };
}

function sendOnce(stage: Stage, method: string, run: () => Promise<unknown>): Promise<unknown> {
  return OPENS_SEALED.includes(method) ? stage.alone(run) : stage.busy(run);
}

async function callThroughNetwork(
  life: InstanceLife,
  slow: SlowCalls,
  { party, method, given }: SandboxCallSent,
  send: (given: readonly unknown[]) => Promise<unknown>,
): Promise<unknown> {
  const label = `${party}.${method}`;
  await life.pass(`calls ${label}`);
  const trouble = life.troubles().next("call", method);
  if (trouble !== null) life.stage.note(`${life.name} ${label} ${trouble}`);
  life.stage.meet(cellOf(label, trouble));
  life.stage.meetAt(label, life.troubles().last("call", method));
  if (trouble === "dies_before") {
    life.die();
    return never();
  }
  if (trouble === "lost_before") return unheard(method);
  if (trouble === "twice") await send(given);
  const answer = await send(given);
  if (trouble === "slow") await slow.hold();
  await life.pass(`hears ${label}`);
  return afterCall(life, trouble, method, answer);
}

function afterCall(life: InstanceLife, trouble: Trouble["kind"] | null, method: string, answer: unknown): unknown {
  if (trouble === "dies_after") {
    life.die();
    return never();
  }
  return trouble === "lost_after" ? unheard(method) : answer;
}

function unheard(method: string): unknown {
  if (Object.hasOwn(READS, method)) throw new GatewayUnavailable("The party did not answer.");
  return { outcome: method === "check" ? "unavailable" : "unknown" };
}
