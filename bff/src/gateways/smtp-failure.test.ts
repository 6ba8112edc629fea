import { describe, expect, it } from "vitest";
import { classifySmtpFailure, type SmtpStage, type SmtpVerdict, smtpFailureOf } from "./smtp-failure.ts";

const CASES: readonly (readonly [SmtpStage, number, string | null, SmtpVerdict])[] = [
  ["recipient", 550, "5.1.1", "refused"],
  ["recipient", 550, "5.1.10", "refused"],
  ["recipient", 553, "5.1.3", "refused"],
  ["recipient", 550, "5.1.7", "message_rejected"],
  ["recipient", 550, "5.1.8", "message_rejected"],
  ["recipient", 550, "5.1.18", "refused"],
  ["recipient", 550, "5.2.1", "refused"],
  ["recipient", 552, "5.2.2", "deferred"],
  ["recipient", 552, "5.2.3", "message_rejected"],
  ["recipient", 550, "5.4.5", "message_rejected"],
  ["recipient", 550, "5.7.1", "message_rejected"],
  ["recipient", 554, "5.7.26", "message_rejected"],
  ["recipient", 450, "4.1.1", "deferred"],
  ["recipient", 450, "4.2.0", "deferred"],
  ["recipient", 451, "4.7.1", "deferred"],
  ["recipient", 452, "4.2.2", "deferred"],
  ["recipient", 452, "4.3.1", "server_failed"],
  ["recipient", 450, "5.1.1", "deferred"],
  ["recipient", 550, "4.2.2", "deferred"],
  ["recipient", 550, null, "refused"],
  ["recipient", 551, null, "refused"],
  ["recipient", 553, null, "refused"],
  ["recipient", 552, null, "message_rejected"],
  ["recipient", 554, null, "message_rejected"],
  ["recipient", 451, null, "deferred"],
  ["recipient", 421, "4.7.0", "server_failed"],
  ["sender", 550, "5.1.8", "server_failed"],
  ["sender", 451, "4.7.1", "server_failed"],
  ["message", 554, "5.7.1", "message_rejected"],
  ["message", 550, "5.1.1", "message_rejected"],
  ["message", 550, null, "message_rejected"],
  ["message", 451, "4.7.1", "message_rejected"],
  ["message", 451, "4.3.0", "server_failed"],
  ["message", 421, null, "server_failed"],
];

it.each(CASES)("at stage %s, the reply %s %s counts as %s", (stage, code, enhanced, verdict) => {
  expect(classifySmtpFailure({ stage, reply: { code, enhanced } })).toBe(verdict);
});

describe("an error of the mail library", () => {
  const failure = (fields: object) => smtpFailureOf(Object.assign(new Error("no"), fields));

  it("takes its stage from the command, and its code from any line of the reply", () => {
    const response = "550-The mailbox\n550-5.1.1 <a@b.cl> does not exist\n550 5.1.1 See 192.0.2.1";
    const error = { code: "EENVELOPE", command: "RCPT TO", responseCode: 550, response };
    expect(failure(error)).toEqual({ stage: "recipient", reply: { code: 550, enhanced: "5.1.1" } });
    const plain = { ...error, response: "550 5.1.1.7 is an address" };
    expect(failure(plain).reply).toEqual({ code: 550, enhanced: null });
  });

  it.each(["ECONNECTION", "ETIMEDOUT", "ESOCKET", "EAUTH", "ETLS", "EPROTOCOL", "EDNS"])(
    "is a failed connection if its code is %s, whatever the reply",
    (code) => {
      const reply = { command: "RCPT TO", responseCode: 550, response: "550 5.1.1 no" };
      expect(classifySmtpFailure(failure({ code, ...reply }))).toBe("server_failed");
    },
  );

  it("counts as a failure of the mail without a reply, since the server was never reached", () => {
    expect(failure({ code: "EENVELOPE", command: "API" })).toEqual({ stage: "message", reply: null });
    expect(failure({ code: "EMESSAGE", command: "MAIL FROM" })).toEqual({ stage: "message", reply: null });
  });

  it("counts an error of another kind as a failed connection", () => {
    expect(smtpFailureOf(new TypeError("x")).stage).toBe("connection");
    expect(smtpFailureOf("x").stage).toBe("connection");
  });
});
