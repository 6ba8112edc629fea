import type { ExceptionPart } from "../platform/exceptions.ts";
import { answering } from "./my-data/answer-request.ts";
import { requestExceptionQueries } from "./operations-store.ts";

/** What patients have asked of a person. Neither can be put aside: each is answered. */
export const requestExceptions = {
  kinds: {
    rights_request: {
      means: "A patient asks to correct, stop or block a use of their data, or to have a refused credit looked at.",
      resolutions: ["grant_request", "refuse_request"],
    },
    rights_request_late: {
      means: "What a patient has asked by the data law must be answered within days.",
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
