import type { ReleasedKit } from "./load-kit.ts";

/** The kit that this version of the package loads; a test compares it with the released file. */
export const released: ReleasedKit = {
  version: "0.4.0",
  integrity: "sha384-r5g1ZhuVyv7/17KsE2hyxOhotgqau3LUWXfxPQtiZO+KklDeSFLRLCyjPF/ksEmD",
};
