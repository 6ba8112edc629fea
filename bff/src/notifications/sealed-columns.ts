import type { SealedColumn } from "../platform/reseal-store.ts";
import { NOTIFICATION_SEALS } from "./notify-patient.ts";

/** What this room has sealed. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: "notices", column: "sealed_email", key: ["id"], purpose: NOTIFICATION_SEALS.email },
  { table: "notices", column: "sealed_message", key: ["id"], purpose: NOTIFICATION_SEALS.message },
];
