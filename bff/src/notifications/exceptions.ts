import { type ExceptionPart, ResolutionRefused, type Resolving } from "../platform/exceptions.ts";
import { notificationExceptionQueries } from "./exception-store.ts";
import { sendAgain } from "./send-again.ts";

/** The operators' view of undelivered mails, and the resolutions for them. */
export const notificationExceptions = {
  kinds: {
    notice_undelivered: {
      means: "A mail to the patient could not be delivered.",
      resolutions: ["send_again", "handled"],
    },
    notice_not_carried: {
      means: "The mail server took no address beyond ASCII, so that a patient got no code or link; it is not kept.",
      resolutions: ["handled"],
    },
  },
  resolutions: {
    send_again: { means: "send it again, to the same address", resolve: sendOnceMore },
  },
  queries: notificationExceptionQueries,
} as const satisfies ExceptionPart;

async function sendOnceMore({ tx, clock, ids, exception: { providerId, subject: id } }: Resolving): Promise<string> {
  if (!(await sendAgain({ clock, ids }, tx, { providerId, id })))
    throw new ResolutionRefused("Its address and text are not kept any more.");
  return "It is sent again.";
}
