import type { CorrectedField, MakeRightsRequest, PatientData } from "bff/contract/patient-rights";
import { REQUEST_WORDS_MAX } from "bff/contract/patient-rights";
import * as z from "zod/mini";
import { SelectField } from "../form/fields.tsx";
import { Fields, FormShell } from "../form/form-shell.tsx";
import { useStepForm, validatedText } from "../form/step-form.ts";
import { TextField } from "../form/text-field.tsx";
import { useAllWords } from "../words/words-context.tsx";
import { usePageWords } from "./link-page.ts";
import { useDayOf } from "./opened-link.tsx";
import { RIGHTS_REQUEST_WORDS } from "./rights-request-words.ts";

type Asked = MakeRightsRequest["request"];

/** The request behind each choice of the form, with the patient's text. */
const ASKING: Readonly<Record<string, (words: string, about: string) => Asked>> = {
  rectification: (words, about) => ({ kind: "rectification", field: about as CorrectedField, words }),
  opposition: (words) => ({ kind: "opposition", words }),
  blocking: (words) => ({ kind: "blocking", words }),
  credit_review: (words, order_token) => ({ kind: "credit_review", order_token, words }),
};

const requestSchema = z.object({
  what: validatedText((text) => (text.trim() === "" ? "request_missing" : null)),
  words: validatedText((text) => (text.trim() === "" ? "request_words_missing" : null)),
});

interface RightsRequestFormProps {
  readonly orders: PatientData["orders"];
  readonly problem: { readonly title: string; readonly text: string } | null;
  readonly pending: boolean;
  readonly onAsk: (asked: Asked) => void;
  readonly onBack: () => void;
}

/** A request that a person handles: correct data, stop a use, block, or review a refused credit. */
export function RightsRequestForm({ orders, problem, pending, onAsk, onBack }: RightsRequestFormProps) {
  const words = useAllWords();
  const own = usePageWords(RIGHTS_REQUEST_WORDS);
  const { field, faults, attempt, sendIfValid } = useStepForm<z.infer<typeof requestSchema>>({
    schema: requestSchema,
    defaults: { what: "", words: "" },
    order: ["what", "words"],
    words,
  });
  const fields = (["first_name", "last_name", "phone_number", "other"] as const).map((name) => ({
    value: `rectification ${name}`,
    label: own.fields[name],
  }));
  const reviews = orders
    .filter(({ credit_refusal }) => credit_refusal !== null)
    .map(({ order_token, provider, reference }) => ({
      value: `credit_review ${order_token}`,
      label: own.review(provider, reference),
    }));
  const uses = [
    { value: "opposition", label: own.kinds.opposition },
    { value: "blocking", label: own.kinds.blocking },
    ...reviews,
  ];

  function submit(form: HTMLFormElement): void {
    sendIfValid(form, ({ what, words: written }) => {
      const [kind = "", about = ""] = what.split(" ");
      const asked = ASKING[kind]?.(written.trim(), about);
      if (asked !== undefined) onAsk(asked);
    });
  }

  return (
    <FormShell
      title={own.title}
      intro={own.intro}
      action={own.action}
      pending={pending}
      faults={faults}
      problem={problem}
      attempt={attempt}
      onSubmit={submit}
      onBack={onBack}
    >
      <Fields>
        <SelectField
          field={field("what")}
          initial=""
          label={own.what}
          placeholder={own.choose}
          groups={[
            { label: own.kinds.rectification, options: fields },
            { label: own.uses, options: uses },
          ]}
        />
        <TextField
          field={field("words")}
          label={own.words}
          hint={own.wordsHint}
          autoComplete="off"
          maxLength={REQUEST_WORDS_MAX}
          spellCheck
        />
      </Fields>
    </FormShell>
  );
}

/** Earlier requests and their state. */
export function RightsRequests({ requests }: { readonly requests: NonNullable<PatientData["requests"]> }) {
  const own = usePageWords(RIGHTS_REQUEST_WORDS);
  const dayOf = useDayOf();
  return requests.map(({ id, kind, status, answer_by, answer }) => (
    <p key={id}>
      <strong>{own.kinds[kind]}.</strong>{" "}
      {status === "open" ? own.openUntil(dayOf(answer_by)) : `${own.answered[status]} ${answer ?? ""}`}
    </p>
  ));
}
