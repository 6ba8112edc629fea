import type { ConsentPurpose } from "bff/contract/orders";
import type { ConsentText, Locale } from "bff/contract/widget-tokens";
import type { ReactNode } from "react";
import { Notice } from "../../design/notice.tsx";
import { ConsentList, readConsents } from "../../form/consent-list.tsx";
import { FormShell } from "../../form/form-shell.tsx";
import type { ProblemWords } from "../../words/words.ts";
import { useAllWords } from "../../words/words-context.tsx";
import { AcceptedCards } from "./card-brand.tsx";
import { type KnownCards, useKnownChoice } from "./known-cards.tsx";

export interface CardPageStepProps {
  /** Cards to choose instead of giving one. */
  readonly known?: KnownCards | undefined;
  readonly pending: boolean;
  readonly problem: ProblemWords | null;
  /** The screen's texts outside of the checkout, where a charge may follow at once. */
  readonly texts?: { readonly title: string; readonly intro: string; readonly action: string };
  readonly consents: readonly ConsentText[];
  readonly consentLocale: Locale;
  readonly banner?: ReactNode;
  readonly onOpen: (given: readonly ConsentPurpose[]) => void;
  readonly onBack?: (() => void) | undefined;
}

const NOTHING_GIVEN: readonly ConsentPurpose[] = [];

/** State of a card page that is not visible: it is being prepared, or the patient left it and it may have ended. */
export function CardPageNotice({ waitsFor }: { readonly waitsFor: "page" | "end" | null }) {
  const { cardPage } = useAllWords();
  if (waitsFor === null) return null;
  const { title, text } = waitsFor === "page" ? cardPage.processing : cardPage.left;
  return (
    <Notice tone={waitsFor === "page" ? "info" : "warning"} role="status" title={title}>
      <p>{text}</p>
    </Notice>
  );
}

/**
 * The step for a card that is entered on the card processor's own page: no fields, and one button that opens the page.
 */
export function CardPageStep(props: CardPageStepProps) {
  const { card, cardPage } = useAllWords();
  const { known } = props;
  const { chosen, field } = useKnownChoice(known, props.problem !== null);
  return (
    <FormShell
      title={props.texts?.title ?? card.title}
      intro={props.texts?.intro ?? cardPage.intro}
      action={chosen === null ? (props.texts?.action ?? cardPage.action) : card.action}
      pending={props.pending}
      faults={[]}
      problem={props.problem}
      attempt={0}
      onSubmit={(form) =>
        chosen === null ? props.onOpen(readConsents(form, props.consents)) : known?.onChoose(chosen)
      }
      onBack={props.onBack}
      note={props.texts === undefined ? `${cardPage.privacy} ${cardPage.notCharged}` : cardPage.privacy}
      banner={props.banner}
    >
      {field}
      {chosen === null ? (
        <>
          <AcceptedCards />
          <ConsentList
            consents={props.consents}
            locale={props.consentLocale}
            given={NOTHING_GIVEN}
            missing={NOTHING_GIVEN}
          />
        </>
      ) : null}
    </FormShell>
  );
}
