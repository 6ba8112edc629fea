import type { ConsentPurpose } from "bff/contract/orders";
import type { ReportShownRequest } from "bff/contract/widget-tokens";
import { expect, test } from "vitest";
import { sessionWith } from "../gallery/recorded-answers.ts";
import { createShownReports } from "./shown-reports.ts";

const TOKEN = "0b7a4f0e-1111-4222-8333-444455556666";
const session = sessionWith();
const textOf = (wanted: ConsentPurpose) => {
  const found = session.consents.find(({ purpose }) => purpose === wanted);
  if (found === undefined) throw new Error(`The session has no consent to ${wanted}.`);
  return { purpose: found.purpose, text_version: found.text_version, text_sha256: found.text_sha256 };
};

function reporting() {
  const sent: ReportShownRequest[] = [];
  const answers: Promise<boolean>[] = [];
  const onScreen = new Set<ConsentPurpose>();
  let token = TOKEN;
  const reports = createShownReports({
    isOnScreen: (purpose) => onScreen.has(purpose),
    send(publicKey, body) {
      expect(publicKey).toBe(session.public_key);
      sent.push(body);
      return answers.shift() ?? Promise.resolve(true);
    },
  });
  return {
    sent,
    answers,
    onScreen,
    reports,
    begin: () => reports.begin({ token: () => token, session: () => session }),
    swapToken: (to: string) => {
      token = to;
    },
  };
}

test("a page on which the patient does not act is not reported", async () => {
  const { begin, reports, sent, onScreen } = reporting();
  onScreen.add("terms_and_credit");
  begin();
  await reports.reported();
  expect(sent).toEqual([]);
});

test("an act reports the page with the texts on the screen, and each of them once", async () => {
  const { begin, reports, sent, onScreen } = reporting();
  begin();
  onScreen.add("terms_and_credit");
  reports.act();
  await reports.reported();
  reports.act();
  onScreen.add("later_charge");
  await reports.reported();
  expect(sent).toEqual([{ widget_token: TOKEN, texts: [textOf("terms_and_credit")] }]);
  reports.act();
  await reports.reported();
  expect(sent.slice(1)).toEqual([{ widget_token: TOKEN, texts: [textOf("later_charge")] }]);
});

test("an act before the scripts have loaded is reported afterwards", async () => {
  const { begin, reports, sent } = reporting();
  reports.act();
  await reports.reported();
  expect(sent).toEqual([]);
  begin();
  await reports.reported();
  expect(sent).toEqual([{ widget_token: TOKEN, texts: [] }]);
});

test("acts during a report go with the next one, and the caller waits for both", async () => {
  const { begin, reports, sent, answers, onScreen } = reporting();
  let answer = (_isRecorded: boolean): void => undefined;
  answers.push(
    new Promise((resolve) => {
      answer = resolve;
    }),
  );
  begin();
  reports.act();
  onScreen.add("terms_and_credit");
  reports.act();
  const reported = reports.reported();
  expect(sent).toHaveLength(1);
  answer(true);
  await reported;
  expect(sent).toEqual([
    { widget_token: TOKEN, texts: [] },
    { widget_token: TOKEN, texts: [textOf("terms_and_credit")] },
  ]);
});

test("after a failed report, only a call that needs it sends it again, once", async () => {
  const { begin, reports, sent, answers } = reporting();
  answers.push(Promise.resolve(false), Promise.resolve(false));
  begin();
  reports.act();
  await reports.reported();
  for (let key = 0; key < 20; key += 1) reports.act();
  expect(sent).toHaveLength(1);
  await reports.reported();
  await reports.reported();
  expect(sent).toEqual(Array(3).fill({ widget_token: TOKEN, texts: [] }));
  await reports.reported();
  expect(sent).toHaveLength(3);
});

test("the page of a fresh token is reported again at the next act", async () => {
  const { begin, reports, sent, onScreen, swapToken } = reporting();
  onScreen.add("claim_mandate");
  begin();
  reports.act();
  await reports.reported();
  swapToken("0b7a4f0e-1111-4222-8333-444455557777");
  await reports.reported();
  expect(sent).toHaveLength(1);
  reports.act();
  await reports.reported();
  expect(sent[1]).toEqual({
    widget_token: "0b7a4f0e-1111-4222-8333-444455557777",
    texts: [textOf("claim_mandate")],
  });
});
