import { MINUTE_MS } from "../contract/vocabulary/durations.ts";
import { chainAudit } from "../platform/audit-chain.ts";
import { createFailedAuthentications, type FailedAuthentications } from "../platform/http/failed-authentications.ts";
import { createPoller, type Poller } from "../platform/poller.ts";
import type { Base } from "./parts.ts";

export interface Auditing extends Pick<Poller, "start" | "stop"> {
  readonly failures: FailedAuthentications;
}

/** Every minute, every process records its failed authentications and chains new audit rows. */
export function createAuditing(base: Base): Auditing {
  const failures = createFailedAuthentications(base);
  const look = async () => {
    await failures.write();
    await chainAudit(base);
  };
  const { start, stop } = createPoller({ look, pollMs: MINUTE_MS, ...base });
  return { failures, start, stop };
}
