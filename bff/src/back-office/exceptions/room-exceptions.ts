import { claimExceptions } from "../../claims/operations.ts";
import { collectionExceptions } from "../../collection/operations.ts";
import { notificationExceptions } from "../../notifications/operations.ts";
import { orderExceptions } from "../../orders/operations.ts";
import type { ExceptionPart } from "../../platform/exceptions.ts";
import { requestExceptions } from "../../self-service/operations.ts";
import { payoutExceptions, reconciliationExceptions } from "../../settlement/operations.ts";
import { providerExceptions } from "../../tenants/operations.ts";

/** The exceptions of all folders, in the order in which the documents list them. */
export const ROOM_EXCEPTIONS: readonly ExceptionPart[] = [
  collectionExceptions,
  claimExceptions,
  orderExceptions,
  notificationExceptions,
  payoutExceptions,
  reconciliationExceptions,
  requestExceptions,
  providerExceptions,
];

/** The kinds of all folders by name. */
export const ROOM_KINDS = {
  ...collectionExceptions.kinds,
  ...claimExceptions.kinds,
  ...orderExceptions.kinds,
  ...notificationExceptions.kinds,
  ...payoutExceptions.kinds,
  ...reconciliationExceptions.kinds,
  ...requestExceptions.kinds,
  ...providerExceptions.kinds,
} as const satisfies ExceptionPart["kinds"];

/** The resolutions of all folders by name. */
export const ROOM_RESOLUTIONS = {
  ...collectionExceptions.resolutions,
  ...claimExceptions.resolutions,
  ...orderExceptions.resolutions,
  ...notificationExceptions.resolutions,
  ...payoutExceptions.resolutions,
  ...reconciliationExceptions.resolutions,
  ...requestExceptions.resolutions,
} as const satisfies ExceptionPart["resolutions"];
