import { ACCESS_BLOCKED_DAYS, LATEST_COLLECTION_DAY, RECEIPT_DUE_DAYS } from "../../contract/terms.ts";
import type { WebhookEventKind } from "../../contract/webhook-events.ts";

/** When each kind of event is sent, as the guide in Spanish says it. */
export const eventsInSpanish: Readonly<Record<WebhookEventKind, string>> = {
  "order.paid": "La orden está pagada. Una vez por orden.",
  "order.partially_paid": "El primer cobro está capturado y el crédito aún no se decide.",
  "order.refunded":
    "Se devolvió algo, todo o una parte: mira `status` y el `moved` de la devolución. También se envía por un contracargo perdido a tu cuenta (`reason` `chargeback`).",
  "order.failed": "La orden ya no se puede pagar: mira `failure`.",
  "order.cancelled":
    "La orden se canceló, venció sin pago, o su crédito se rechazó después de capturar el primer cobro.",
  "order.changed":
    "Todo cambio de estado, y cada devolución, para endpoints suscritos a él. Tiene su propio `event_id` y el `sequence` del evento específico.",
  "order.receipt_missing": `La orden se pagó hace ${RECEIPT_DUE_DAYS} días y no tiene boleta, así que no se pide el reembolso. Una vez por orden, para endpoints suscritos a él.`,
  "order.refund_failed":
    "Falló una devolución que estaba `processing`: `refund_id` la nombra en `refunds`, y su `moved` dice qué se devolvió igual. Una vez por devolución, para endpoints suscritos a él.",
  "claim.filed":
    "La isapre recibió la solicitud de reembolso. Para endpoints suscritos a él, como todos los tipos que siguen.",
  "claim.held":
    "Falta un documento, según nuestras reglas o las de la isapre: lo nombra `missing_document_types` de `data.order.claim`. Envía la boleta otra vez con él.",
  "claim.approved": "La isapre aprobó la solicitud. Corresponde el segundo cobro.",
  "claim.rejected": "La isapre rechazó la solicitud: `rejection_code` de `data.order.claim`, si da uno.",
  "access.missing": "La solicitud espera, porque el paciente no ha dado acceso al portal de su isapre.",
  "access.blocked": `La isapre rechaza el acceso del paciente. Después de ${ACCESS_BLOCKED_DAYS} días seguidos corresponde el segundo cobro.`,
  "collection.collected": "El segundo cobro está pagado, con la tarjeta o de otra forma.",
  "collection.declined": "La tarjeta rechazó el segundo cobro: el último de `data.order.payments` tiene la razón.",
  "collection.failed":
    "No se cobra más a la tarjeta por esta orden. El paciente tiene que dar otra o pagar de otra forma.",
  "chargeback.opened": "El banco del paciente retiró dinero: `chargeback.amount`. Mientras tanto no se cobra nada más.",
  "chargeback.closed":
    "Los contracargos que estaban abiertos quedaron `won` o `lost`: `chargeback.outcome`, con su suma.",
};

/** What each test value of the sandbox causes, by its number, RUT, serial or address. */
export const causesInSpanish: Readonly<Record<string, string>> = {
  // Cards
  "4051885600446623": "Todo cobro se captura.",
  "5186059559590568": "Todo cobro se rechaza: `declined`. Se puede probar otra tarjeta.",
  "4051885600000016": "Todo cobro se rechaza: `insufficient_funds`.",
  "4051885600000024": "Se rechaza al agregarla: `card_expired`.",
  "4051885600000032": "Todo cobro se rechaza para siempre: `card_lost_or_stolen`.",
  "4051885600000040": "Se pide autenticación reforzada; la página del banco aprueba o rechaza.",
  "4051885600000057": "Se pide autenticación reforzada, y falla se presione lo que se presione.",
  "4051885600000115":
    "Se pide autenticación reforzada cuando reemplaza otra tarjeta o paga el resto antes, no en el primer pago.",
  "4051885600000123":
    "Escrita en el checkout, el procesador pide confirmarla en su propia página antes de inscribirla; todo cobro se captura.",
  "4051885600000255":
    "Se inscribe en la página del procesador, que se abre en su propia ventana y autentica al titular. El procesador no informa ni el vencimiento ni el titular; todo cobro se captura.",
  "4051885600000065": "El primer cobro se captura, y los siguientes se rechazan: `declined`.",
  "4051885600000073": "Los cobros se capturan, pero la respuesta se pierde; una consulta lo aclara.",
  "4051885600000081": "El primer cobro se pierde en el camino y no se captura nada; el siguiente llega.",
  "4051885600000230":
    "Un cobro de más de $25.000 se rechaza por el cupo de la tarjeta: `declined`, con `decline_limit` `amount`. Uno menor se captura.",
  "4051885600000248":
    "El primer cobro se captura, y los siguientes se rechazan por el límite de la tarjeta: `declined`, con `decline_limit` `uses`.",
  "4051885600000206": "Todo cobro se captura. El dinero que vuelve a ella está en camino 2 días, y luego se devuelve.",
  "4051885600000214": "Todo cobro se captura. El dinero que vuelve a ella está en camino 2 días, y luego se rechaza.",
  "4051885600000222": "Todo cobro se captura, y ninguno se devuelve: el procesador dice que es muy antiguo.",
  "4051885600000099": "Se rechaza al agregarla: `security_code_wrong`.",
  "4051885600000107": "Todo cobro se rechaza para siempre: `card_blocked`.",
  "5186059550000013":
    "El primer cobro se captura, los dos siguientes se rechazan (`insufficient_funds`) y el próximo se captura.",
  "5186059550000021": "El primer cobro se captura, y los siguientes se rechazan para siempre: `card_lost_or_stolen`.",
  "4051884239937763": "Una tarjeta de débito: todo cobro se captura, y se devuelve solo completo.",
  "4051886000056590": "Una tarjeta de prepago: todo cobro se captura, y se devuelve solo completo.",
  "4511346660037060": "No cumple la prueba de Luhn y se captura igual: Luhn puede advertir, nunca bloquear.",
  "370000000002032": "American Express, 15 dígitos, código de seguridad de cuatro: todo cobro se captura.",
  // People
  "40100000-3": "Todo resulta; la solicitud se aprueba a los 5 días.",
  "40237731-3": "El crédito se rechaza, con razones.",
  "40375462-5": "El crédito queda en revisión 20 segundos, y luego se autoriza.",
  "40513193-5": "El crédito queda en revisión 20 segundos, y luego se rechaza.",
  "40650924-9": "Se autoriza, pero su confirmación se rechaza.",
  "40788655-0": "Registrado con registrada@example.com.",
  "40926386-0": "La solicitud se rechaza a los 5 días.",
  "41064117-8": "La solicitud queda retenida hasta que se envía un segundo documento.",
  "41201848-6": "El acceso a la isapre se bloquea el día 2.",
  "41339579-8": "El portal está caído 2 días.",
  "40006217-K": "El acceso a la isapre que se dio no se acepta: falta.",
  "40008548-K": "La solicitud se aprueba el día 12.",
  "40000778-0": `La isapre nunca responde: día ${LATEST_COLLECTION_DAY}.`,
  "41477310-9": "El acceso a la isapre está bloqueado desde el principio.",
  "41615041-9": "La solicitud se aprueba el mismo día.",
  "41752772-9": "La solicitud se aprueba el día 44.",
  "41890503-4": "La solicitud se aprueba el día 46, demasiado tarde.",
  "42028234-6": "El documento tributario de la comisión se rechaza hasta dos días después del cobro: no quedan folios.",
  // Serials
  "100000001": "Rechazado: el registro no lo asocia con el RUT.",
  "100000002": "El documento está vencido o bloqueado.",
  "100000003": "El registro está caído.",
  "100000004": "Coincide, y su titular es menor de edad.",
  // E-mail addresses
  "rebota@example.com": "Rebota: el correo se rechaza.",
  "silencio@example.com": "El servidor de correo no responde.",
  "buzón@example.com":
    "El servidor de correo no acepta direcciones fuera de ASCII: el correo se rechaza. A las demás direcciones así sí se les escribe.",
  // Telephone numbers
  "+56900000001": "Rebota: nadie tiene este número.",
  "+56900000002": "El servicio de mensajes no responde.",
  "+56900000003": "Su dueño pidió no recibir más mensajes.",
  // Bank accounts
  "1000000001": "La transferencia se rechaza: la cuenta no existe.",
  "1000000002": "La transferencia se rechaza: la cuenta está cerrada.",
  "1000000003": "La transferencia se rechaza: es de otra persona.",
  "1000000004": "La transferencia se rechaza: su banco no responde.",
  "1000000005": "La transferencia queda pendiente 26 horas, y después se hace.",
  "1000000006": "La transferencia se hace, y vuelve 12 horas después.",
};
