import type { ReleasedKit } from "./load-kit.ts";

/** The kit that this version of the package loads; a test compares it with the released file. */
export const released: ReleasedKit = {
  version: "0.3.0",
  integrity: "sha384-4XIIJf8M4th3vJeBPm53RXq4ll6+YwVLzqNa9eMni4PVxMMzWknuUN1k2AeiV+1v",
};
