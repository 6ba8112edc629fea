import {
  CHECKOUT_MAILS_OF_ORDER_PER_HOUR_MAX,
  LONG_TERM_LIFETIME_DAYS,
  STANDARD_LIFETIME_MINUTES,
} from "../../contract/terms.ts";
import type { SchemaNotes } from "./schema-note.ts";

/** The fields of a page of the card processor, of an issuer's challenge, and of the patient's order. */
const pageWords = "With `open`: the page on which the patient enters the card. Absent otherwise.";
const actionWords = "With `requires_action`: the issuer's challenge to show to the patient. Absent otherwise.";
const displayWords =
  "`window`: the page cannot be framed; open it in its own window at the patient's press. Absent: frame it.";
const orderWords = "The order after the call.";
const codeWords = "The one-time code from the message.";
const codeEnd = "When the code expires. ISO 8601, UTC.";

export const checkoutNotes: SchemaNotes = {
  MintWidgetTokenRequest: {
    description: "Whom the session is for, and how the checkout is opened.",
    fields: {
      rut: "RUT of the patient. With `order_token` it must be the patient of the order: 409 `order_of_another_patient` otherwise, also for `user_data.rut`.",
      user_data: "What you know of the patient, to prefill the form. None of it is trusted.",
      order_token: "The `hash` of the order to pay. Without it, the patient only signs up.",
      long_term_token: `\`true\`: the token lives ${LONG_TERM_LIFETIME_DAYS} days instead of ${STANDARD_LIFETIME_MINUTES} minutes.`,
      expires_in_minutes: "Lifetime in minutes. Overrides `long_term_token`.",
      provider_data:
        "The sub-clinic that the patient sees. For meta-providers only. By default it is the order's centre, its `provider_rut`.",
      parent_origin: "Origin of the page that frames the checkout. Without it, any of your registered origins may.",
      return_url:
        "Where a button takes the patient back to when the checkout is a full page. Must equal one of your registered return URLs.",
      locale: "Language of the checkout, unless the patient has chosen one for the order. By default Chilean Spanish.",
      qr: "`true`: the response has `qr_svg`, for a patient who pays on their own phone (guide: Front desk).",
      deliver: `Sends the address by e-mail to the customer of the order. Needs \`order_token\`. At most ${CHECKOUT_MAILS_OF_ORDER_PER_HOUR_MAX} e-mails per order and hour.`,
      "deliver.email": "E-mail address of the order's customer. Any other address is 422.",
      native:
        "`true`: your app opens the page in a web view and receives its messages (guide: Apps). No page may frame it.",
    },
  },
  "mintWidgetToken query": {
    fields: {
      long_term_token: "Same as `long_term_token` in the body.",
      expires_in_minutes: "Same as `expires_in_minutes` in the body.",
    },
  },
  MintWidgetTokenResponse: {
    description: "The token and the address of the checkout.",
    fields: {
      widget_token: "The widget token. A UUID, for one payment or sign-up.",
      url: "Pass it to the embed kit, load it in an iframe, or open it as a full page.",
      expires_at: "When the token expires. ISO 8601, UTC.",
      qr_svg:
        "With `qr`: a QR code of `url` as an SVG image, black on white, without script or style. Absent otherwise.",
    },
  },
  RevokeWidgetTokenResponse: {
    description: "The token opens nothing any more.",
    fields: { status: "Always `revoked`." },
  },
  UserData: {
    description: "What the partner knows of the patient.",
    fields: {
      name: "Given names.",
      surname: "All surnames.",
      email: "E-mail address.",
      phone_number: "Phone number, in any form.",
    },
  },
  ProviderData: {
    description:
      "The sub-clinic that the patient of a meta-provider sees. A missing name is that of the order's centre.",
    fields: {
      rut: "RUT of the centre.",
      name: "Name that the patient sees.",
      logo_url: "HTTPS URL of the logo.",
      support_email: "E-mail address for questions of patients.",
    },
  },
  Appearance: {
    description: "Your styling of the checkout. Missing values keep the default.",
    fields: {
      accent: "Accent colour, `#rrggbb`. It must be dark enough for white text.",
      radius: "Roundness of corners.",
      font: "Font family.",
      color_scheme: "`auto` follows the patient's device.",
      density: "Spacing between elements.",
      labels: "Position of field labels.",
    },
  },
  ConsentText: {
    description: "A consent that the checkout asks for.",
    fields: {
      step: "The step that shows it.",
      required: "Whether the patient must accept it to continue.",
      text: "The text to show, with the amounts and the day of the session's quote.",
      text_version: "Version of the text.",
    },
  },
  WidgetSession: {
    description: "Everything that the checkout shows, in its current state.",
    fields: {
      user_data: "Data to prefill the form.",
      order_token: "The `hash` of the order; null if the session is not for an order.",
      order: "The order, masked; null if the session is not for an order.",
      quote: "The current offer; null if there is nothing to pay.",
      provider: "The clinic that the patient sees.",
      "provider.name": "Name of the clinic.",
      "provider.logo_url": "HTTPS URL of the logo; null if there is none.",
      "provider.support": "Where patients get help.",
      "provider.support.email": "E-mail address for help.",
      "provider.support.phone": "Phone number for help; null if there is none.",
      "provider.support.whatsapp": "WhatsApp number for help; null if there is none.",
      client_id: "Public credential for the order API.",
      public_key: "Public credential for the onboarding API.",
      parent_origins: "Origins that may frame the page.",
      return_url: "Where the patient goes back to from a full page; null if nowhere.",
      native: "Whether an app opened the page and may receive its messages.",
      sealing_keys: "Keys to encrypt to.",
      "sealing_keys.card": "The card processor's key. Null while it is not available.",
      "sealing_keys.insurer_access": "The key for the insurer password. Null while it is not available.",
      blocked_by: "Why the order can never be paid in two parts, whatever its patient does. Absent if it can.",
      card_page_display:
        "`window`: the card processor's page cannot be framed, and the press that asks for it opens a window. Absent if it can.",
      card_entry: "`fields`: the checkout shows card fields. `page`: the patient uses the card processor's page.",
      consents: "Consents that this session asks for.",
      locale_chosen:
        "Whether the patient chose `locale`. The page then opens in it, whatever language the host sends with `hello`.",
      withdrawal: "The operator's sentence about the right of withdrawal. Null without a quote.",
      purpose: "What the token is for. The service itself sends all links except those of `checkout` and `onboarding`.",
      expires_at: "When the token expires. ISO 8601, UTC.",
      server_time: "Current time of the service (ISO 8601, UTC), to correct the device's clock.",
    },
  },
  ReportShownRequest: {
    description: "Sent when the page is visible and the patient has interacted with it.",
    fields: {
      texts: "The consents of the session that are on the screen.",
      locale: "The language that the patient chose on the page. It is kept for all pages and mails of the order.",
    },
  },
  ReportShownResponse: {
    description: "Confirmation of the report.",
    fields: { shown_at: "When the page was first shown. ISO 8601, UTC." },
  },
  GivenConsent: { description: "A consent that the patient gave, with the hash of the text that they saw." },
  GivenConsents: { description: "Consents that the patient gave." },
  ValidateIdentityRequest: {
    description: "The identity document of the patient.",
    fields: {
      document_serial: "Serial number: nine digits, or a letter and nine digits. Dots, spaces and dashes are ignored.",
    },
  },
  ValidateIdentityResponse: {
    description: "The identity is valid.",
    fields: { status: "Always `validated`.", order: orderWords },
  },
  AddPaymentMethodRequest: {
    description: "Either `sealed_card` or `stored_card`.",
    fields: {
      sealed_card: "A new card, encrypted in the browser to the card processor's key.",
      stored_card: "Id of a saved card of a patient who was recognised for this order.",
    },
  },
  AddPaymentMethodResponse: {
    description: "The card is on file for the order.",
    fields: { status: "Always `added`.", payment_method: "The card on file.", order: orderWords },
  },
  OpenCardPageRequest: { description: "Opens the card processor's page, or asks for its outcome." },
  CardPage: {
    description: "A page of the card processor, at its own origin.",
    fields: {
      url: "Address to send the patient to.",
      expires_at: "When the page expires. ISO 8601, UTC.",
      display: displayWords,
    },
  },
  OpenCardPageResponse: {
    description: "State of the card page.",
    fields: {
      status:
        "`open`: send the patient to `page`. `processing`: the outcome is not known; ask again with `inquire`. `none`: no page was opened. `added`: the card is on file.",
      page: pageWords,
      payment_method: "The card on file; null if there is none.",
      order: orderWords,
    },
  },
  StartRecognitionRequest: {
    description: "Which saved card the code is for.",
    fields: { stored_card: "Id of a saved card. By default the newest." },
  },
  StartRecognitionResponse: {
    description: "The same whether or not the service knows the patient.",
    fields: { expires_at: codeEnd },
  },
  VerifyRecognitionRequest: { description: "The code from the message.", fields: { code: codeWords } },
  VerifyRecognitionResponse: {
    description: "The patient is recognised for this order.",
    fields: {
      status: "Always `recognised`.",
      stored_card: "Id of the saved card that the code was for; null or absent if it cannot be used.",
      cards: "The patient's saved cards.",
      order: orderWords,
    },
  },
  DisownRecognitionResponse: { description: "The recognition is undone.", fields: { order: orderWords } },
  PayOrderRequest: {
    description: "The patient's decision to pay.",
    fields: {
      consents: "What the patient accepted, with the hash of the text that was shown.",
      quote_sha256:
        "The `sha256` of the quote that the patient saw. If the quote changed, the answer is 409 `quote_changed`.",
    },
  },
  PayOrderResponse: {
    description: "The order and the state of its payment.",
    fields: {
      order: orderWords,
      payment: "State of the payment.",
      "payment.status":
        "`requires_action`: show `action.url` to the patient. `processing`: read the order again shortly.",
      "payment.action": actionWords,
      "payment.waits_for": "With `processing`: the party that has to respond. Absent otherwise.",
    },
  },
  WaitsFor: { description: "The party that has to respond before the payment or the card continues." },
  ChallengeAction: {
    description: "A challenge of the card's issuer, on its own page.",
    fields: {
      type: "Always `challenge`.",
      url: "Address to show to the patient.",
      expires_at: "When the challenge ends. ISO 8601, UTC.",
      display: displayWords,
    },
  },
  ReadReturnRequest: {
    description: "The page that the patient left, if it was in the same window.",
    fields: { widget_token: "The token of that page, to learn whether the patient can continue there." },
  },
  ReadReturnResponse: {
    description: "State of what the patient did at the bank or card processor.",
    fields: {
      purpose: "What the patient left the checkout for.",
      status:
        "`declined`: nothing was charged or changed, and the patient may try again. `refused`: the payment is over. `to_continue`: the card was given, and the issuer's challenge follows. `closed`: nothing more can be paid or changed.",
      waits_for: "With `processing`: who has to respond; null otherwise.",
      amount: "With `paid`: what was charged in Chilean pesos; null otherwise.",
      first_instalment: "With `refused`: what happened to the first instalment; null otherwise.",
      can_continue: "Whether the page of the request's token can be opened again.",
    },
  },
  RegisterPatientRequest: {
    description: "The patient's sign-up.",
    fields: {
      first_name: "Given names.",
      last_name: "All surnames.",
      sealed_insurer_access: "The password of the insurer's portal, encrypted in the browser. Optional.",
    },
  },
  RegisterPatientResponse: {
    description: "The patient is registered.",
    fields: {
      user_id: "Id of the user, who receives messages and gives consents.",
      beneficiary_id: "Id of the beneficiary, the person behind the RUT.",
      status:
        "`unproven`: the patient has not proved yet that the RUT is theirs. Their code by e-mail, or the identity step of the checkout, makes it `proven`. An unproven registration files no claim, and blocks no other sign-up of the RUT.",
      proof_until:
        "With `unproven`: when the registration ends if it is not proven, with its widget token. From then on a receipt of the RUT is answered 404 `beneficiary_not_found`, as for a patient who never signed up. ISO 8601, UTC; null if it is proven.",
    },
  },
  StartRecoveryRequest: {
    description: "Recovers a RUT that is registered with another e-mail address.",
    fields: {
      way: "`email_code`: a code to the registered address. `identity`: the identity document, then a code to `email`.",
      document_serial: "With `identity`: serial number of the identity document.",
      email: "With `identity`: the new e-mail address.",
    },
  },
  StartRecoveryResponse: {
    description: "A code was sent.",
    fields: { sent_to: "The address, masked.", expires_at: codeEnd },
  },
  VerifyRecoveryRequest: {
    description: "The code, and optionally the sign-up data that is saved with it.",
    fields: {
      code: codeWords,
      insurer: "Insurer of the password. Required with `sealed_insurer_access`.",
      sealed_insurer_access: "The password of the insurer's portal, encrypted in the browser. Optional.",
      consents: "The consents that the patient gave at sign-up. Optional.",
    },
  },
  ObjectToEmailChangeRequest: {
    description: "Undoes a change of e-mail address.",
    fields: { widget_token: "The token of the link that was sent to the old address." },
  },
  ObjectToEmailChangeResponse: { description: "The change is undone.", fields: { status: "Always `undone`." } },
  SendLinkCodeRequest: { description: "Sends the one-time code of a link." },
  AnswerLinkCodeRequest: { description: "The code of a link.", fields: { code: codeWords } },
  AnswerLinkCodeResponse: {
    description: "Access to what the link is for.",
    fields: {
      access: "Send it with the requests that follow. A reload of the page needs a new code.",
      expires_at: "When `access` expires. ISO 8601, UTC.",
      patient: "The patient.",
      "patient.rut": "RUT of the patient, as `12345678-5`.",
      "patient.insurer": "Insurer of the patient; null if not known.",
      order_token: "The `hash` of the order that the link is about; null if none.",
      due: "What is left to charge. Null if the link is not about an order or nothing can be charged.",
    },
  },
  Due: {
    description: "What is left to charge of an order.",
    fields: {
      amount: "What a charge would take now in Chilean pesos, commission included.",
      commission: "The commission within `amount`.",
      due_at: "When the next automatic charge is due (ISO 8601, UTC); null if there is none.",
      reason: "What made it due; null until it is due.",
      card: "The card on file.",
      upcoming: "The next charge.",
      upcoming_with_given_card:
        "The next charge if the patient gives another card now. Only with a link to change the card.",
    },
  },
  ReadPaymentRequest: { description: "Names the page and the answered code." },
  MakePaymentFileRequest: {
    description: "Names the page, the answered code and the file.",
    fields: {
      document: "The file to download.",
      locale: "Language of receipt and calendar entry. The contract keeps the language that was accepted.",
    },
  },
  PaymentPage: {
    description: "What a patient sees of a paid order.",
    fields: {
      clinic: "Name of the clinic, or of the centre in a network.",
      consultation_day: "Day of the service (`YYYY-MM-DD`) as the receipt names it; null if it is not known.",
      status: "Status of the order.",
      total_amount: "Price in Chilean pesos.",
      refunded_amount: "Refunded price in Chilean pesos.",
      paid: "What the patient has paid, oldest first.",
      "paid.kind": "`first`: the first instalment. `deferred`: the rest.",
      "paid.amount": "Amount in Chilean pesos, commission included.",
      "paid.returned_amount": "The part that refunds have returned.",
      "paid.disputed_amount": "The part that the patient's bank has taken back.",
      "paid.lost_amount": "The part of it that stays with the patient for good: the bank no longer reviews it.",
      "paid.at": "When it was paid. ISO 8601, UTC.",
      "paid.card": "The card that paid; null for a payment by other means.",
      "paid.authorization_code": "The issuer's code, as on the patient's statement; null if it gave none.",
      refunds: "Every refund, oldest first.",
      "refunds.amount": "Refunded price in Chilean pesos.",
      "refunds.status": "`processing`: money is still under way. `failed`: what was not moved may be refunded again.",
      "refunds.at": "When it was requested. ISO 8601, UTC.",
      "refunds.off_second_charge": "What the second charge became less, commission included.",
      "refunds.to_cards": "What was returned to cards so far, commission included.",
      "refunds.by_bank": "What the patient had from the bank before.",
      "refunds.by_transfer": "What is owed to the patient by bank transfer.",
      "refunds.transferred": "The part of `by_transfer` that was transferred.",
      claim: "The claim for the reimbursement; null if the order was refunded before there was one.",
      "claim.status":
        "`waiting_for_receipt`: the clinic has not sent the receipt. `queued`: it is being filed. `held`: a document is missing. `stopped`: it will not be filed or followed any more, or its answer is not awaited after a full refund.",
      "claim.since": "Since when the claim has had this status. ISO 8601, UTC.",
      "claim.filed_at": "When it was filed with the isapre; null before that. ISO 8601, UTC.",
      "claim.insurer": "The patient's isapre; null if they have not signed up.",
      "claim.missing_document_types": "With `held`: what the clinic still has to send.",
      "claim.reason": "With `rejected`: the words of the isapre. Null otherwise.",
      "claim.charged_on_if_blocked":
        "With `access_blocked`: the day of the second charge if the access stays blocked; null if that changes nothing.",
      "claim.reimbursed_amount":
        "With `approved`: what the isapre reimburses, in Chilean pesos. Null otherwise, and once the answer was erased.",
      second_charge: "The charge of the deferred part with its commission.",
      "second_charge.status":
        "`pending`: `upcoming` says what follows. `collected`: charged to a card. `paid_otherwise`: paid by other means. `cancelled`: refunds left nothing to charge. `written_off`: given up.",
      "second_charge.upcoming": "What is charged next, when and why.",
      "second_charge.card": "The card that is charged next.",
      "second_charge.held_by":
        "Why nothing is charged by itself: an open chargeback, data blocked by the patient, a revoked mandate, a card that was declined, or a refund in progress. Null if something is charged, or nothing is left.",
      "second_charge.declined": "The last declined charge; null if there is none, or a later one succeeded.",
      "second_charge.declined.at": "When it was declined. ISO 8601, UTC.",
      "second_charge.declined.amount": "Amount of the charge in Chilean pesos.",
      "second_charge.declined.card": "The declined card.",
      own_cost:
        "Cost to the patient after an approval: the amounts paid and kept and the one still to be charged, less the reimbursement, in Chilean pesos. Null before that, and while a chargeback is undecided.",
      missing_step: "What the patient still has to do so that the claim can be filed; null if nothing.",
      actions: "What the patient can do now.",
      "actions.pay_early": "The charge that an early payment makes; null if none can be made.",
      "actions.change_card": "The charge that another card would pay; null if none is left.",
      "actions.give_access": "Whether the claim waits for access to the isapre's portal.",
      documents: "`agreement` if there is one; `files` names it too.",
      files: "Files that the patient can download. `calendar` while a day of the second charge lies ahead.",
      as_of: "The moment of this state. ISO 8601, UTC.",
    },
  },
  ShownCharge: {
    description: "The charge that the page showed. It is made as shown unless something changed.",
    fields: {
      amount: "The amount shown, in Chilean pesos.",
      on: "`now`, or the day shown (`YYYY-MM-DD`, America/Santiago).",
    },
  },
  ChangeCardRequest: {
    description: "Either `sealed_card` or `inquire`.",
    fields: {
      sealed_card: "The new card, encrypted in the browser to the card processor's key.",
      shown: "The charge that the page showed. Without it, the patient is notified at least a day before.",
    },
  },
  ChangeCardResponse: {
    description: "State of the change. A changed card uses up the link.",
    fields: {
      status:
        "`requires_action`: the issuer challenges the patient, and the old card stays until then. `processing`: the outcome is not known; ask again with `inquire`. `none`: no card is being changed.",
      action: actionWords,
      due: "What is left to charge; null if nothing.",
    },
  },
  OpenLinkCardPageRequest: {
    description: "Opens the card processor's page for another card, or asks for its outcome.",
    fields: {
      shown: "The charge that the page showed. Without it, the patient is notified at least a day before.",
    },
  },
  OpenLinkCardPageResponse: {
    description: "State of the card page.",
    fields: {
      status:
        "`open`: send the patient to `page`. `requires_action`: the issuer challenges the patient. `processing`: the outcome is not known; ask again with `inquire`. `none`: no page was opened.",
      page: pageWords,
      action: actionWords,
      due: "What is left to charge; null if nothing.",
    },
  },
  PayEarlyRequest: {
    description: "Pays what is left now.",
    fields: {
      amount: "The amount shown to the patient, in Chilean pesos. If more is due, nothing is charged.",
    },
  },
  PayEarlyResponse: {
    description: "State of the charge. A collected charge uses up the link.",
    fields: {
      status:
        "`requires_action`: the issuer challenges the patient. `processing`: the outcome is not known; ask again with `inquire`, because a call without it charges again after a decline. `none`: no charge, or more is due than was shown.",
      action: actionWords,
    },
  },
  GiveInsurerAccessRequest: {
    description: "New access to the insurer's portal.",
    fields: {
      widget_token: "The token of the link, or of the checkout that has just paid the order.",
      access: "The `access` of the link. Leave it out at the end of a checkout.",
      sealed_insurer_access: "The password of the insurer's portal, encrypted in the browser.",
    },
  },
  GiveInsurerAccessResponse: { description: "The access is stored.", fields: { status: "Always `given`." } },
};
