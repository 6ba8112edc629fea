import type { Stage } from "./stage.ts";
import type { Troubles } from "./trouble.ts";

/** Controls when one process of ours dies and which faults it has. */
export interface InstanceLife {
  readonly name: string;
  readonly stage: Stage;
  isDead(): boolean;
  /** Stops all its work. */
  die(): void;
  /** Settles when it dies. */
  readonly death: Promise<"died">;
  /** Sets the faults from now on. */
  trouble(troubles: Troubles): void;
  troubles(): Troubles;
  /** Waits for its turn. Never returns in a dead instance. */
  pass(label: string): Promise<void>;
}

/** A promise of a dead process, which never settles. */
export function never<Result>(): Promise<Result> {
  return new Promise(() => undefined);
}

export function createInstanceLife(name: string, stage: Stage, initial: Troubles): InstanceLife {
  let dead = false;
  let troubles = initial;
  let tellDeath: (value: "died") => void = () => undefined;
  const death = new Promise<"died">((resolve) => {
    tellDeath = resolve;
  });
  return {
    name,
    stage,
    death,
    isDead: () => dead,
    die() {
      if (dead) return;
      dead = true;
      stage.note(`${name} dies`);
      tellDeath("died");
    },
    trouble(next) {
      troubles = next;
    },
    troubles: () => troubles,
    async pass(label) {
      if (dead) return never();
      stage.note(`${name} ${label}`);
      await stage.jitter();
      return dead ? never() : undefined;
    },
  };
}
