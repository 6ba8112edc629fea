import type { ReleasedKit } from "./load-kit.ts";

/** The kit that this version of the package loads; a test compares it with what is released. */
export const released: ReleasedKit = {
  version: "0.2.0",
  integrity: "sha384-ipnlM3ewMfYxu69+eevXxg5B9p0D/fx3elg0Nmyv1RGkAmBgjV5EqzVuAp9UH9SB",
};
