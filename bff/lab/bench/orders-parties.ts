import { randomUUID } from "node:crypto";
import type { SealingKey } from "../../src/contract/widget-tokens.ts";
import type { Gateways } from "../../src/gateways/gateways.ts";

const sealingKey: SealingKey = {
  kty: "RSA",
  kid: "bench",
  alg: "RSA-OAEP-256",
  use: "enc",
  n: Buffer.alloc(256, 1).toString("base64url"),
  e: "AQAB",
};

const notAsked = () => Promise.reject(new Error("Not implemented in this benchmark."));

/** Parties that do nothing and report success at once, so that a benchmark measures only our own work. */
export const idleGateways: Gateways = {
  cardProcessor: {
    challengeOrigin: "https://challenge.example",
    sealingKey: async () => sealingKey,
    cardPage: async () => "none",
    cardPageDisplay: async () => undefined,
    inquireRegistration: async () => ({ outcome: "not_found" }),
    registerCard: async () => ({
      outcome: "registered",
      card: {
        id: randomUUID(),
        brand: "visa",
        last4: "6623",
        expMonth: 12,
        expYear: 2099,
        holderName: "CAMILA ROJAS",
        kind: "credit",
      },
    }),
    keepCard: notAsked,
    inquireKeptCard: notAsked,
    registerStoredCard: notAsked,
    forgetCard: notAsked,
    inquireForgotten: notAsked,
    removesCards: async () => false,
    chargeLimits: async () => ({}),
    removeCard: notAsked,
    inquireRemoval: notAsked,
    listKeptCards: notAsked,
    authenticate: async () => ({ outcome: "not_needed" }),
    inquireAuthentication: notAsked,
    charge: async (_call, { amount }) => ({ outcome: "captured", chargeId: randomUUID(), amount }),
    inquireCharge: notAsked,
    returnCharge: notAsked,
    inquireReturn: notAsked,
    listMovements: notAsked,
    listSettlements: notAsked,
  },
  financingProvider: {
    name: "Financiera",
    authoriseLoan: async () => ({ outcome: "authorised", loanId: randomUUID() }),
    inquireLoan: notAsked,
    confirmLoan: async () => ({ outcome: "confirmed" }),
    inquireConfirmation: notAsked,
    reduceLoan: notAsked,
    inquireReduction: notAsked,
    reportLoan: notAsked,
    inquireReport: notAsked,
    listLoans: notAsked,
  },
  identityRegistry: { check: async () => ({ outcome: "match" }) },
  insurer: {
    takesAccess: true,
    sealingKey: async () => sealingKey,
    fileClaim: notAsked,
    inquireFiling: notAsked,
    inquireClaim: notAsked,
  },
  messenger: { sendEmail: async () => ({ outcome: "sent" }), sendMessage: async () => ({ outcome: "sent" }) },
  bank: { transfer: notAsked, inquireTransfer: notAsked, listTransfers: notAsked },
  taxDocuments: { issueDocument: notAsked, inquireDocument: notAsked, listDocuments: notAsked },
  close: async () => undefined,
};
