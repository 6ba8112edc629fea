import { CHARGE_TRIES_MAX, CHARGE_TRIES_WINDOW_DAYS, DATA_LINK_HOURS } from "bff/contract/terms";
import { esClFirst } from "./es-cl-first.ts";
import type { Words } from "./words.ts";

const OUR_FAULT = {
  title: "Algo falló de nuestro lado",
  text: "Tus datos no se perdieron. Espera un momento y vuelve a intentarlo.",
};
const CLINIC_FAULT = {
  title: "No pudimos abrir este pago",
  text: "Hay un problema con la configuración de la clínica. Avísale y pídele que te ayude a pagar.",
};
const CHECK_DATA = {
  title: "Revisa tus datos",
  text: "Hay un dato que no pudimos leer. Corrígelo y vuelve a enviarlo.",
};
const NOT_FOUND = {
  title: "No encontramos este pago",
  text: "Vuelve a abrirlo desde la página de la clínica.",
};

const WAIT_OR_CLOSE = "Puedes esperar aquí o cerrar: si se paga, el comprobante llega a tu correo.";

/** Spanish of Chile. */
export const esCl: Words = {
  ...esClFirst,

  patient: {
    title: "Tus datos",
    rut: "RUT",
    rutHint: "Ejemplo: 12.345.678-5",
    rutFixed: (provider) => `Lo informó ${provider}. Si no es el tuyo, pide que lo corrijan antes de pagar.`,
    name: "Nombre",
    edit: "Editar",
    firstName: "Nombres",
    lastName: "Apellidos",
    lastNameHint: "Los dos, como en tu cédula.",
    email: "Correo electrónico",
    emailHint: "Ahí te llegan el comprobante y los avisos.",
    phone: "Celular",
    phoneHint: "Ejemplo: 9 1234 5678",
    insurer: "Tu isapre",
    insurerChoose: "Elige una opción",
    insurerOpen: "Isapres abiertas",
    insurerClosed: "Isapres cerradas",
    insurerOther: "Otra situación",
    insurerFonasa: "Fonasa",
    insurerNone: "No tengo isapre",
    accessFold: "Agregar la clave de tu isapre",
    accessText: "Con tu clave pedimos tu reembolso. Viaja cifrada, solo se usa para eso y puedes darla después.",
    accessLater: "Ahora no podemos recibir la clave de tu isapre. Después de pagar te enviamos un enlace para darla.",
    access: "Clave de tu isapre",
    show: "Mostrar",
    hide: "Ocultar",
    unsupportedTitle: "Por ahora solo funciona con isapre",
    unsupportedText: (provider) =>
      `El segundo cobro depende de un reembolso de isapre, y por eso todavía no podemos ofrecértelo. No se te cobró nada. Pregunta en ${provider} por otra forma de pago.`,
    unsupportedAction: "Elegí mal, volver a mis datos",
    action: "Continuar",
  },

  agreement: {
    title: "Documentos",
    kinds: {
      contract: "Contrato",
      summary_sheet: "Hoja de resumen",
      withdrawal: "Retracto",
      privacy_notice: "Aviso de privacidad",
    },
  },

  consents: {
    title: "Tu autorización",
    optional: "Opcional",
    missing: "Marca esta casilla para continuar.",
    purposes: {
      terms_and_credit: "Contrato y crédito",
      later_charge: "Autorizo el segundo cobro",
      claim_mandate: "Pidan el reembolso por mí",
      health_data: "Usen mis datos de salud",
      insurer_access: "Usen la clave de mi isapre",
      saved_card: "Guardar tarjeta",
      marketing: "Novedades",
    },
  },

  recognised: {
    title: "Confirmamos que eres tú",
    notMe: "No soy yo",
    codeOver: { title: "El código ya no sirve", text: "Pide uno nuevo, o sigue sin código." },
    cardMissing: "Solo falta tu tarjeta.",
    open: "Usar una tarjeta guardada",
    cardCode: {
      title: (card) => `Código para ${card}`,
      text: "Cada código sirve para una sola tarjeta: escribe el nuevo que te llega.",
    },
  },

  identity: {
    title: "Confirma tu identidad",
    intro: "Con el número de tu cédula confirmamos en el Registro Civil que eres tú.",
    forRut: (rut) => `Cédula del RUT ${rut}`,
    document: "Tu cédula",
    cedula: "Chilena",
    cedulaForeign: "Para extranjeros",
    serial: "Número de documento",
    serialHint: "No es tu RUT. Ejemplo: 123.456.789",
    whereTitle: "¿Dónde está?",
    cards: { old: "Cédula de 2013 a 2024", new: "Cédula desde diciembre de 2024" },
    showCard: { old: "Ver la de 2013 a 2024", new: "Ver la más nueva" },
    where: "En el frente, donde dice «Número documento».",
    privacy: "No guardamos este número.",
    action: "Confirmar identidad",
    attemptsLeft: (attempts) =>
      attempts === 0
        ? "Ya no te quedan intentos."
        : attempts === 1
          ? "Te queda 1 intento."
          : `Te quedan ${attempts} intentos.`,
    retryIn: (minutes) => (minutes === 1 ? "Podrás probar en 1 minuto." : `Podrás probar en ${minutes} minutos.`),
  },

  cardPage: {
    intro:
      "La inscribes una sola vez, en la página segura del procesador de tarjetas. La usaremos hoy y para el segundo cobro.",
    action: "Inscribir mi tarjeta",
    privacy: "Ni la clínica ni nosotros vemos el número de tu tarjeta.",
    notCharged: "Todavía no se cobra nada.",
    dialog: {
      title: "Inscribe tu tarjeta",
      text: "Es la página del procesador de tarjetas.",
      leave: "Salir sin inscribir",
      unseen: "¿No ves la página?",
      openTab: "Ábrela en otra pestaña",
      inTab: "Cuando termines en la otra pestaña, vuelve aquí: esta página sigue sola.",
    },
    left: {
      title: "No terminaste de inscribir tu tarjeta",
      text: "Si ya la inscribiste, esta página sigue sola. Si no, ábrela de nuevo.",
    },
    processing: {
      title: "Estamos preparando la página",
      text: "El procesador de tarjetas todavía no responde. Apenas responda, la verás aquí.",
    },
  },

  card: {
    title: "Tu tarjeta",
    intro: "Para hoy y el segundo cobro.",
    number: "Número de tarjeta",
    numberDoubt: "Revisa el número: parece tener un error. Si es el correcto, continúa.",
    expiry: "Vencimiento",
    expiryHint: "MM/AA",
    cvc: "Código CVV",
    cvcHint: (digits) => (digits === 4 ? "4 dígitos, al frente" : "3 dígitos, al reverso"),
    holder: "Nombre en la tarjeta",
    sealed: "Cifrada aquí: la clínica no la ve.",
    action: "Continuar",
    knownTitle: "Elige una tarjeta",
    newTitle: "Otra tarjeta",
    accepted: "Débito, crédito o prepago",
  },

  review: {
    title: "Revisa y paga",
    change: "Cambiar",
    card: "Tarjeta",
    cardEnds: (brand, last4) => `${brand || "Tarjeta"} ••${last4}`,
    cardExpires: (expiry) => `Vence ${expiry}`,
    otherCard: "Usar otra tarjeta",
    lender: "Lo financia",
    annualCost: "Carga anual equivalente (CAE)",
    annualCostNote: (commission) => `Es alta porque el plazo es corto: en pesos son ${commission} de comisión.`,
    annualCostDay: (day) => `La CAE supone el segundo cobro el ${day}.`,
    financed: "Monto financiado",
    termsTitle: "Pago anticipado y atrasos",
    earlyPayment: "Puedes pagar antes cuando quieras, con la misma comisión. Escríbenos y te ayudamos.",
    latePayment: `Si tu banco rechaza el segundo cobro, lo intentamos hasta ${CHARGE_TRIES_MAX} veces en ${CHARGE_TRIES_WINDOW_DAYS} días y te avisamos cada vez para que puedas cambiar la tarjeta. El monto no sube por el atraso. Si no resulta, sigues debiéndolo y te decimos cómo pagarlo.`,
    blocked: "Tu isapre nos bloquea el acceso, por ejemplo, si cambias tu clave.",
    pay: (amount) => `Pagar ${amount}`,
  },

  paying: {
    states: {
      sending: { title: "Procesando tu pago", text: "Toma unos segundos. No cierres esta ventana." },
      asking: { title: "Estamos revisando tu pago", text: "No se cobrará dos veces." },
      checking: { title: "Estamos revisando tu pago", text: "No nos llegó la respuesta. No se cobrará dos veces." },
      processing: { title: "Tu banco está confirmando", text: WAIT_OR_CLOSE },
      reviewing: { title: "Estamos revisando tu crédito", text: WAIT_OR_CLOSE },
      stuck: {
        title: "Todavía no podemos confirmar tu pago",
        text: `Seguimos preguntando y no se cobrará dos veces. ${WAIT_OR_CLOSE} Si no te llega, abre de nuevo el pago desde la clínica.`,
      },
    },
    challenge: {
      title: "Confirma con tu banco",
      text: "Es la página de tu banco.",
      leave: "Salir sin confirmar",
      unseen: "¿No ves la página?",
      openTab: "Ábrela en otra pestaña",
      inTab: "Cuando termines en la otra pestaña, vuelve aquí: esta página sigue sola.",
    },
    challengeLeft: {
      title: "No terminaste la confirmación",
      text: "Si ya confirmaste, el pago puede completarse. Si no, presiona Pagar de nuevo.",
    },
    otherCardFrom: (time) => `Con otra tarjeta podrás pagar desde las ${time} (hora de Chile).`,
  },

  declined: {
    title: "Usa otra tarjeta",
    intro: "La usaremos hoy y para el segundo cobro.",
    action: "Usar otra tarjeta",
    retry: (card) => `Reintentar con ${card}`,
    byBank: (card, amount) => `Tu banco rechazó el pago de ${amount} con la ${card}`,
    notCharged: (card, amount) => `No se cobraron ${amount} en la ${card}.`,
  },

  refused: {
    title: "El crédito no fue aprobado",
    texts: {
      not_charged: "No se cobró nada en tu tarjeta.",
      returned: "Devolvimos el primer cobro a tu tarjeta. Puede tardar unos días en verse.",
      not_returned:
        "Alcanzamos a hacer el primer cobro y tu tarjeta no aceptó la devolución. Te contactaremos para devolvértelo.",
    },
    reasons: "Por qué",
    next: (provider) => `Pregunta en ${provider} por otra forma de pago.`,
    review: "Pedir que lo revise una persona",
    reviewSent: {
      title: "Revisa tu correo",
      text: "El enlace llega al correo con que te registraste. Ábrelo y elige «Hacer una solicitud».",
    },
  },

  done: {
    title: "¡Listo! Tu pago está hecho",
    text: (amount, provider) => `Pagaste ${amount} a ${provider}.`,
    receipt: "Comprobante",
    paidToday: "Pagado hoy",
    paid: "Pagado",
    cut: "Descuento por la devolución",
    cutText: "La devolución se descuenta primero del segundo cobro.",
    returned: "Devuelto a tu tarjeta",
    returnedText: (amount) => `Te devolvimos ${amount}. Puede tardar unos días en verse en tu tarjeta.`,
    transferredText: (amount) => `Te devolvemos ${amount} por transferencia: te escribimos para pedirte la cuenta.`,
    bankReturnedText: (amount) => `Tu banco ya te había devuelto ${amount}.`,
    refundTitles: { partially_refunded: "Pago con devolución parcial", refunded: "Pago devuelto" },
    reference: "Referencia",
    clinic: "Clínica",
    patient: "Paciente",
    rut: "RUT",
    card: "Tarjeta",
    service: "Valor de la atención",
    financed: "Parte financiada",
    details: "Ver detalle",
    nextTitle: "Qué viene ahora",
    nextClaim: "Pedimos tu reembolso",
    nextClaimText: (lacksAccess, until) =>
      `${lacksAccess ? "Cuando nos des tu clave y la clínica nos envíe tu boleta." : "Cuando la clínica nos envíe tu boleta: tú no haces nada."} Plazo: ${until}.`,
    missingAccess: {
      title: "Falta un paso para tu reembolso",
      text: "Danos la clave de tu isapre. Sin ella no lo podemos pedir, y el segundo cobro se hará igual.",
      action: "Dar mi clave ahora",
    },
    missingAccessSent: "Te enviamos un enlace para darla, al correo con que te registraste.",
    accessGiven: {
      title: "Ya nos diste la clave de tu isapre",
      text: "Pediremos tu reembolso apenas tengamos tu boleta.",
    },
    nextNotice: "Te contamos qué responde tu isapre",
    nextNoticeText: "Por correo y mensaje.",
    nextCharge: (amount, day) => `Segundo cobro de ${amount}, a más tardar el ${day}`,
    nextChargeText: "En tu tarjeta. Te avisamos al menos el día antes o, si tu isapre aprueba, cuando nos lo confirme.",
    nextChargeOn: (amount, day) => `Segundo cobro de ${amount}, el ${day}`,
    nextChargeOnText: "En tu tarjeta, una sola vez.",
    nextChargeInFlight: (amount) => `Segundo cobro de ${amount}, en curso`,
    nextChargeInFlightText: "Esperamos a tu banco. Te avisaremos cómo termina.",
    nextChargeOnHold: "Segundo cobro, sin fecha por ahora",
    nextChargeOnHoldText: "Si lo hacemos, te avisaremos antes por correo.",
    nextOwed: (amount, day) => `Te queda por pagar ${amount}, a más tardar el ${day}`,
    nextOwedText: "No cobraremos más tu tarjeta. Por correo te decimos cómo pagar.",
    files: {
      receipt: "Descargar comprobante (PDF)",
      agreement: "Descargar contrato (PDF)",
      calendar: "Agregar al calendario",
    },
    return: (provider) => `Volver a ${provider}`,
    closable: "Ya puedes cerrar esta página.",
    closableLater: "Cuando termines, puedes cerrar esta página.",
    onboardedTitle: "¡Listo! Ya estás inscrito",
    onboardedText: "Guardamos tus datos. Puedes cerrar esta ventana.",
    onboardedLinked: "Guardamos tus datos y la clave de tu isapre. Puedes cerrar esta ventana.",
    alreadyTitle: "Este pago ya está hecho",
    collected: "El segundo cobro ya se hizo. No habrá más.",
    noLater: "No habrá segundo cobro.",
    failedTitle: "Falta el segundo cobro",
    owedTitle: "Te queda un pago pendiente",
    owed: (amount) =>
      `Retiraste la autorización para cobrar tu tarjeta y sigues debiendo ${amount}. Para pagar, ingresa otra tarjeta con el botón del correo que te enviamos, o pide ayuda a la clínica.`,
    failed: (charge) =>
      `No pudimos hacer el segundo cobro, de ${charge}, y sigue pendiente. Para pagarlo, ingresa otra tarjeta con el botón del correo que te enviamos, o pide ayuda a la clínica.`,
    statuses: {
      pending: { title: "Pago pendiente", text: "Todavía no hay un pago confirmado de esta atención." },
      partially_paid: {
        title: "Recibimos tu primer pago",
        text: "Falta confirmar el crédito. Si se aprueba, el comprobante llega a tu correo.",
      },
      cancelled: { title: "Orden anulada", text: "Esta orden se anuló y no hay nada que pagar." },
    },
  },

  accessForm: {
    title: "El acceso a tu isapre",
    intro: "Entra primero al portal de tu isapre y comprueba que tu clave funciona.",
    passwordHint: "La del portal de tu isapre.",
    action: "Dar acceso",
    note: "Tu clave se cifra en este dispositivo. La clínica nunca la ve.",
  },

  myData: {
    title: "Mis datos",
    text: "Puedes ver, descargar o borrar lo que guardamos de ti, y retirar lo que autorizaste. El enlace llega al correo con que te registraste.",
    action: "Enviarme el enlace",
    sent: {
      title: "Revisa tu correo",
      text: `Si guardamos datos tuyos, el enlace llega en unos minutos y sirve por ${DATA_LINK_HOURS} horas. Si acabas de pedirlo, usa el que ya te llegó.`,
    },
  },

  otherProblem: CLINIC_FAULT,
  problems: {
    malformed_json: OUR_FAULT,
    unreadable_body: OUR_FAULT,
    amount_too_small: {
      title: "El monto es demasiado pequeño",
      text: "Esta atención no se puede pagar en dos partes. Pregunta en la clínica por otra forma de pago.",
    },
    amount_too_large: {
      title: "El monto es demasiado alto",
      text: "Esta atención no se puede pagar en dos partes. Pregunta en la clínica por otra forma de pago.",
    },
    processor_customer_identity_not_validated: {
      title: "Primero confirma tu identidad",
      text: "Falta este paso para poder pagar.",
    },
    processor_payment_method_not_found: {
      title: "Primero agrega tu tarjeta",
      text: "Falta este paso para poder pagar.",
    },
    patient_code_required: {
      title: "Confirma que eres tú",
      text: "Pide un código e ingrésalo para continuar.",
    },
    consents_missing: {
      title: "Falta tu autorización",
      text: "Lee y marca cada casilla obligatoria para continuar.",
    },
    quote_changed: {
      title: "Las condiciones cambiaron",
      text: "No se cobró nada. Revisa los montos y las fechas y vuelve a aceptar.",
    },
    card_declined: {
      title: "Tu banco no aprobó la tarjeta",
      text: "No se cobró nada. Prueba con otra tarjeta o llama a tu banco.",
    },
    card_expires_too_soon: {
      title: "Tu tarjeta vence muy pronto",
      text: "Vence antes de la fecha del segundo cobro. Usa otra tarjeta.",
    },
    card_page_abandoned: {
      title: "No terminaste de inscribir tu tarjeta",
      text: "No se cobró nada. Ábrela de nuevo cuando quieras.",
    },
    card_page_needed: {
      title: "Confirma tu tarjeta",
      text: "El procesador de tarjetas te pide confirmarla en su página. No se cobró nada.",
    },
    card_page_not_offered: {
      title: "No podemos abrir la página de tu tarjeta",
      text: "Recarga esta página e inténtalo de nuevo. No se cobró nada.",
    },
    stored_card_code_required: {
      title: "Falta el código de esta tarjeta",
      text: "Pide un código para esta tarjeta y escríbelo para continuar.",
    },
    stored_card_refused: {
      title: "No podemos usar tu tarjeta guardada",
      text: "Ingresa una tarjeta para continuar. No se cobró nada.",
    },
    page_not_shown: {
      title: "No pudimos revisar tu código",
      text: "Confírmalo otra vez.",
    },
    sealed_card_refused: {
      title: "Vuelve a ingresar tu tarjeta",
      text: "Por seguridad, los datos de la tarjeta solo sirven unos minutos. No se cobró nada.",
    },
    credit_declined: {
      title: "El crédito no fue aprobado",
      text: "Puedes pagar tu atención de otra forma: pregunta en la clínica.",
    },
    invalid_credential: CLINIC_FAULT,
    invalid_public_key: CLINIC_FAULT,
    not_found: NOT_FOUND,
    order_not_found: NOT_FOUND,
    beneficiary_not_found: {
      title: "No encontramos tu registro",
      text: "Revisa tu RUT y vuelve a intentarlo.",
    },
    widget_token_not_found: {
      title: "Este enlace no existe",
      text: "Puede estar incompleto. Vuelve a abrir el pago desde la página de la clínica.",
    },
    idempotency_in_flight: {
      title: "Tu solicitud anterior sigue en curso",
      text: "Espera un momento: no se cobrará dos veces.",
    },
    order_not_payable: {
      title: "Esta orden ya no se puede pagar",
      text: "Puede estar pagada o anulada. Pregunta en la clínica.",
    },
    payment_in_progress: {
      title: "Hay un pago en curso",
      text: "Espera a que termine antes de cambiar la tarjeta.",
    },
    RUT_OTHER_EMAIL: {
      title: "Tu RUT ya está registrado",
      text: "Está registrado con otro correo. Elige cómo seguir.",
    },
    widget_token_expired: {
      title: "Tu sesión venció",
      text: "Vuelve a abrir el pago desde la clínica. Si ya pagaste, el comprobante está en tu correo.",
    },
    widget_token_revoked: {
      title: "La clínica anuló este enlace",
      text: "Vuelve a la página de la clínica, o pídele un enlace nuevo.",
    },
    widget_token_used: {
      title: "Este enlace ya se usó",
      text: "Si necesitas algo más, vuelve a la página de la clínica.",
    },
    recovery_code_expired: { title: "El código venció", text: "Pide uno nuevo." },
    body_too_large: CHECK_DATA,
    validation_error: CHECK_DATA,
    raw_card_refused: {
      title: "No escribas tu tarjeta aquí",
      text: "Borra el número y vuelve a intentarlo.",
    },
    document_serial_malformed: {
      title: "Revisa el número de documento",
      text: "Son 9 dígitos, como 123.456.789.",
    },
    identity_rejected: {
      title: "El número no corresponde a tu RUT",
      text: "Mira tu cédula y escríbelo otra vez. No es el RUT.",
    },
    identity_document_not_valid: {
      title: "Tu cédula no está vigente",
      text: "Puede estar vencida o bloqueada. Si tienes una más nueva, usa su número.",
    },
    patient_under_age: {
      title: "El crédito es para mayores de 18 años",
      text: "Según el Registro Civil, el paciente es menor de edad. Pregunta en la clínica por otra forma de pago.",
    },
    identity_attempts_exhausted: {
      title: "Hiciste demasiados intentos",
      text: "Por seguridad debes esperar antes de volver a probar. Si necesitas pagar ahora, pide ayuda en la clínica.",
    },
    insurer_not_supported: {
      title: "Solo pedimos reembolsos a isapres",
      text: "Elige tu isapre de la lista.",
    },
    recovery_code_invalid: { title: "El código no es correcto", text: "Revísalo y escríbelo otra vez." },
    idempotency_key_reused: OUR_FAULT,
    idempotency_key_malformed: OUR_FAULT,
    rate_limited: {
      title: "Demasiadas solicitudes",
      text: "Espera un momento y vuelve a intentarlo.",
    },
    internal_error: OUR_FAULT,
    upstream_unavailable: OUR_FAULT,
    service_unavailable: OUR_FAULT,
    identity_registry_unavailable: {
      title: "El Registro Civil no responde",
      text: "No gastaste un intento. Vuelve a probar en unos minutos.",
    },
    card_processor_unavailable: {
      title: "El procesador de tarjetas no responde",
      text: "No se cobró nada. Vuelve a probar en unos minutos.",
    },
  },

  connection: {
    offline: {
      title: "No tienes conexión",
      text: "Revisa tu wifi o tus datos móviles. Lo que escribiste sigue aquí.",
    },
    unreachable: {
      title: "No pudimos conectarnos",
      text: "Revisa tu conexión y vuelve a intentarlo. Lo que escribiste sigue aquí.",
    },
    timeout: {
      title: "La respuesta está tardando mucho",
      text: "Vuelve a intentarlo. Lo que escribiste sigue aquí.",
    },
    unreadable: OUR_FAULT,
  },

  declines: {
    declined: {
      title: "Tu banco no aprobó la tarjeta",
      text: "No se cobró nada. Prueba con otra tarjeta o llama a tu banco.",
    },
    insufficient_funds: {
      title: "Tu tarjeta no tiene cupo suficiente",
      text: "No se cobró nada.",
    },
    card_expired: { title: "Tu tarjeta está vencida", text: "No se cobró nada. Usa una tarjeta vigente." },
    card_lost_or_stolen: {
      title: "Tu banco no permite usar esta tarjeta",
      text: "No se cobró nada. Llama a tu banco y usa otra tarjeta.",
    },
    card_blocked: {
      title: "Tu tarjeta está bloqueada",
      text: "No se cobró nada. Desbloquéala con tu banco o usa otra tarjeta.",
    },
    security_code_wrong: {
      title: "El código CVV no es correcto",
      text: "No se cobró nada. Revisa el código y vuelve a ingresar la tarjeta.",
    },
    authentication_failed: {
      title: "Tu banco no pudo confirmar que eres tú",
      text: "No se cobró nada. Vuelve a intentarlo o usa otra tarjeta.",
    },
    authentication_abandoned: {
      title: "No terminaste la confirmación con tu banco",
      text: "No se cobró nada. Vuelve a intentarlo o usa otra tarjeta.",
    },
  },

  declineLimits: {
    amount: {
      title: "Tu tarjeta tiene un límite menor que este monto",
      text: "No se cobró nada. Sube el límite por compra o por día en la app de tu banco, o usa otra tarjeta.",
    },
    uses: {
      title: "Tu tarjeta llegó a su máximo de usos",
      text: "No se cobró nada. Sube el máximo en la app de tu banco, inténtalo otro día o usa otra tarjeta.",
    },
  },

  faults: {
    rut_missing: "Ingresa tu RUT.",
    rut_malformed: "Revisa tu RUT: el dígito verificador no calza. Ejemplo: 12.345.678-5.",
    rut_not_person: "Ese RUT es de una empresa. Ingresa el tuyo.",
    first_name_missing: "Ingresa tus nombres.",
    last_name_missing: "Ingresa tus apellidos.",
    email_missing: "Ingresa tu correo electrónico.",
    email_malformed: "Revisa tu correo. Ejemplo: nombre@correo.cl.",
    phone_missing: "Ingresa tu celular.",
    phone_malformed: "Revisa tu celular. Ejemplo: 9 1234 5678.",
    insurer_missing: "Elige tu isapre.",
    insurer_access_missing: "Ingresa la clave del portal de tu isapre.",
    serial_missing: "Ingresa el número de documento.",
    serial_malformed: "Son 9 dígitos, como 123.456.789.",
    card_number_missing: "Ingresa el número de tarjeta.",
    card_number_length: "Revisa el número de tarjeta: le faltan o le sobran dígitos.",
    expiry_missing: "Ingresa el vencimiento.",
    expiry_malformed: "Escribe el mes y el año, como 09/28.",
    expiry_past: "Esa tarjeta ya venció. Usa otra.",
    cvc_missing: "Ingresa el código CVV.",
    cvc_length: "Revisa el código: son 3 dígitos, o 4 en American Express.",
    holder_missing: "Ingresa el nombre como aparece en la tarjeta.",
    holder_is_number: "Aquí va el nombre, no el número.",
    request_missing: "Elige qué nos pides.",
    request_words_missing: "Cuéntanos qué necesitas.",
    refused_by_server: "Revisa este dato.",
  },
};
