import { CardChangePage } from "./card-change-page.tsx";
import { InsurerAccessPage } from "./insurer-access-page.tsx";
import type { LinkPage, LinkPurpose } from "./link-page.ts";
import { MyDataPage } from "./my-data-page.tsx";
import { ObjectionPage } from "./objection-page.tsx";
import { PayEarlyPage } from "./pay-early-page.tsx";

/** The page of each link that the service sends: one file and one row each, all in one piece that nobody else loads. */
export const LINK_PAGES: Readonly<Record<LinkPurpose, LinkPage>> = {
  card_change: CardChangePage,
  insurer_access: InsurerAccessPage,
  my_data: MyDataPage,
  objection: ObjectionPage,
  pay_early: PayEarlyPage,
};
