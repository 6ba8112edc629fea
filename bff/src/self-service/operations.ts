import type { ExceptionPart } from "../platform/exceptions.ts";
import { answering } from "./my-data/answer-request.ts";
import { requestExceptionQueries } from "./operations-store.ts";

/** Patients' requests that a person must answer. They can only be answered, not dismissed. */
export const requestExceptions = {
  kinds: {
    rights_request: {
      means: "A patient asks to correct, stop or block a use of their data, or to review a refused credit.",
      resolutions: ["grant_request", "refuse_request"],
    },
    rights_request_late: {
      means: "A patient's request under the data law must be answered within days.",
      resolutions: ["grant_request", "refuse_request"],
    },
  },
  resolutions: {
    grant_request: {
      means: "it was done as the patient asks; the note is mailed to them",
      notTogether: true,
      resolve: answering("granted"),
    },
    refuse_request: {
      means: "it is not done; the note says why, and is mailed to the patient",
      notTogether: true,
      resolve: answering("refused"),
    },
  },
  queries: requestExceptionQueries,
} as const satisfies ExceptionPart;
