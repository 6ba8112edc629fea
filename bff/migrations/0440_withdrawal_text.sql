-- What the operator says of the right of withdrawal: granted or excluded, in one sentence. The version before ignores
-- this kind of text.
alter table legal_texts drop constraint legal_texts_kind;
alter table legal_texts add constraint legal_texts_kind
  check (kind in ('contract', 'summary_sheet', 'withdrawal', 'privacy_notice')) not valid;

-- Samples for staging, each marked as one.
insert into legal_texts (environment, kind, version, locale, set_at, text) values
('staging', 'contract', 'muestra-2', 'es-CL', '2026-01-02T00:00:00Z', $text$
# Contrato de pago en dos partes

Texto de muestra para pruebas. No es un contrato válido.

## Quiénes somos parte

{{clinic}}, RUT {{clinic_rut}}, te da la atención de salud y responde por ella.

{{financing_provider}}, RUT 96.900.004-0, te presta la parte que pagas después. Contacto: creditos@financiera.example.com.

Tú eres {{patient}}, RUT {{patient_rut}}.

## Qué pagas y cuándo

- Precio de la atención (referencia {{reference}}): {{price}}.
- Hoy, con tu tarjeta: {{today}}, el {{first_percentage}}% del precio.
- Después, con la misma tarjeta: {{later_charge}}, que son {{later}} del precio y {{commission}} de comisión ({{commission_percentage}} del precio).
- Comisión: {{commission_detail}}
- Costo total: {{total_cost}}. Carga anual equivalente (CAE): {{annual_cost}}.

El segundo cobro se hace una sola vez, cuando pase lo primero de esto: tu isapre aprueba el reembolso; el acceso a tu isapre lleva {{access_blocked_days}} días seguidos bloqueado; llega el día {{latest_day}}, que es el {{latest_date}}. Se hace aunque tu isapre reembolse menos o no reembolse.

## Autorización para cobrar

Nos autorizas a guardar tu tarjeta y a hacer en ella ese solo cobro. Puedes dejar sin efecto esta autorización cuando quieras en Mis datos. La deuda sigue y puedes pagarla de otra forma.

## Si pagas antes o después

Puedes pagar antes cuando quieras: la comisión es la misma. Si tu banco rechaza el segundo cobro, lo intentamos hasta {{charge_tries}} veces en {{charge_days}} días y te avisamos cada vez. El monto no sube por el atraso.

## Reclamos

Escribe a {{support_email}}. También puedes reclamar ante el Servicio Nacional del Consumidor (SERNAC), en sernac.cl o al 800 700 100.
$text$),
('staging', 'contract', 'muestra-2', 'en', '2026-01-02T00:00:00Z', $text$
# Contract for payment in two parts

Sample text for tests. It is not a valid contract.

## The parties

{{clinic}}, RUT {{clinic_rut}}, gives you the consultation and is responsible for it.

{{financing_provider}}, RUT 96.900.004-0, lends you the part that you pay later. Contact: creditos@financiera.example.com.

You are {{patient}}, RUT {{patient_rut}}.

## What you pay, and when

- Price of the consultation (reference {{reference}}): {{price}}.
- Today, with your card: {{today}}, which is {{first_percentage}}% of the price.
- Later, with the same card: {{later_charge}}, which is {{later}} of the price and a fee of {{commission}} ({{commission_percentage}} of the price).
- Fee: {{commission_detail}}
- Total cost: {{total_cost}}. Annual cost (CAE): {{annual_cost}}.

The second charge is made once, when the first of these happens: your isapre (private health insurer) approves the reimbursement; access to your isapre has been blocked for {{access_blocked_days}} days in a row; day {{latest_day}} comes, which is {{latest_date}}. It is made even if your isapre reimburses less, or nothing.

## Authorization to charge

You allow us to keep your card and to make that one charge to it. You can revoke this at any time in My data. You still owe the amount, and can pay it in another way.

## If you pay earlier or later

You can pay earlier at any time: the fee is the same. If your bank declines the second charge, we try up to {{charge_tries}} times in {{charge_days}} days and tell you each time. The amount does not grow if the payment is late.

## Complaints

Write to {{support_email}}. You can also complain to the national consumer service (SERNAC), at sernac.cl or 800 700 100.
$text$),
('staging', 'summary_sheet', 'muestra-2', 'es-CL', '2026-01-02T00:00:00Z', $text$
# Hoja de resumen

Texto de muestra para pruebas.

- Crédito: {{later}}, que te presta {{financing_provider}}.
- Plazo: {{latest_day}} días como máximo.
- Una sola cuota: {{later_charge}}, a más tardar el {{latest_date}}.
- Costo del crédito: {{commission}} de comisión ({{commission_percentage}} del precio de la atención), incluida en la cuota. {{commission_detail}}
- Carga anual equivalente (CAE): {{annual_cost}}.
- Todo lo que pagas, con los {{today}} de hoy: {{total_cost}}.
- Pago anticipado: cuando quieras, con la misma comisión.
- Atraso: el monto no sube. El cobro se intenta hasta {{charge_tries}} veces en {{charge_days}} días; si no resulta, sigues debiéndolo.
- Cotización del {{date}} para {{patient}}, RUT {{patient_rut}}.
$text$),
('staging', 'summary_sheet', 'muestra-2', 'en', '2026-01-02T00:00:00Z', $text$
# Summary sheet

Sample text for tests.

- Credit: {{later}}, lent by {{financing_provider}}.
- Term: {{latest_day}} days at most.
- One instalment: {{later_charge}}, on {{latest_date}} at the latest.
- Cost of the credit: a fee of {{commission}} ({{commission_percentage}} of the price of the consultation), included in the instalment. {{commission_detail}}
- Annual cost (CAE): {{annual_cost}}.
- Everything that you pay, with the {{today}} of today: {{total_cost}}.
- Early payment: at any time, with the same fee.
- Late payment: the amount does not grow. The charge is tried up to {{charge_tries}} times in {{charge_days}} days; if it fails, you still owe it.
- Quote of {{date}} for {{patient}}, RUT {{patient_rut}}.
$text$),
('staging', 'withdrawal', 'muestra-2', 'es-CL', '2026-01-02T00:00:00Z', $text$
# Retracto

No hay retracto (Ley 19.496, art. 3 bis b): pide devoluciones a la clínica, {{support_email}}.
$text$),
('staging', 'withdrawal', 'muestra-2', 'en', '2026-01-02T00:00:00Z', $text$
# Right of withdrawal

No right of withdrawal (Ley 19.496, art. 3 bis b): ask the clinic for refunds, at {{support_email}}.
$text$),
('staging', 'privacy_notice', 'muestra-2', 'es-CL', '2026-01-02T00:00:00Z', $text$
# Aviso de privacidad

Texto de muestra para pruebas.

## Quién responde por tus datos

AAPD de Prueba SpA, RUT 76.904.444-2, responde por este servicio. {{clinic}} y {{financing_provider}} responden además por los datos que reciben. Escribe a {{support_email}}.

## Qué datos usamos y para qué

- Tu nombre, RUT, correo y celular: para identificarte, cobrarte y avisarte.
- El número de documento de tu cédula: solo para consultar al registro; guardamos una huella cifrada, no el número.
- Tu tarjeta: la guarda el procesador de tarjetas. Nosotros vemos marca, últimos cuatro dígitos, vencimiento y titular.
- Las boletas, órdenes y recetas de tu atención, y lo que responde tu isapre: son datos de salud, solo para pedir tu reembolso.
- La clave de tu isapre, si la das: se cifra en tu navegador y solo quien presenta el reembolso puede abrirla.
- La decisión sobre tu crédito y cómo terminó: para financiar la segunda parte.
- Tu dirección IP, navegador y la hora en que aceptas cada texto: como prueba de lo que aceptaste.

## Quién los recibe

- {{clinic}}: tus pagos, devoluciones y el estado de tu reembolso; no tu clave ni los datos completos de tu tarjeta.
- {{financing_provider}}: tu identidad, la deuda y cómo terminó.
- El procesador de tarjetas y tu banco; el registro que verifica tu cédula; tu isapre y quien le presenta el reembolso.
- Quien emite la boleta de la comisión y el Servicio de Impuestos Internos.
- Las empresas que envían nuestros correos y mensajes y que operan nuestros servidores, solo por encargo nuestro.
- Tribunales y autoridades, cuando la ley obliga.

## Una decisión automática

{{financing_provider}} decide el crédito con un sistema automático. Si lo rechaza, te damos las razones por escrito y puedes pedir que una persona lo revise.

## Cuánto los guardamos

- Pagos, devoluciones, contrato, autorizaciones y créditos rechazados: sin plazo, como contabilidad y prueba; no se borran aunque lo pidas.
- Boletas, órdenes, recetas y lo que respondió tu isapre: hasta que pidas borrarlas.
- Tu registro y la clave de tu isapre: hasta que los retires o pidas borrarlos. Si debes algo, tu nombre y contacto quedan hasta que se pague.
- Tu tarjeta, en el procesador: hasta que termine el segundo cobro; si pediste guardarla, hasta que la quites. Su marca y últimos dígitos quedan con el pago.
- La verificación de tu cédula: 24 horas en el registro de consultas; en tu pago queda que resultó.
- Los códigos que te enviamos: 2 días.
- Un correo o mensaje que no pudo entregarse: 30 días. Los entregados no guardan su texto.
- Lo que tu clínica anotó antes para llenar el formulario: 24 horas después de terminar.
- Los avisos a tu clínica: 90 días sus intentos de entrega; el registro de lo que pasó con tu pago, sin plazo, y al borrar tus datos deja de nombrarte.

## Tus derechos

En Mis datos puedes ver, copiar, corregir y borrar tus datos, oponerte a un uso, pedir que se bloqueen y retirar tus autorizaciones. Respondemos en 30 días. También puedes escribir a {{support_email}}.
$text$),
('staging', 'privacy_notice', 'muestra-2', 'en', '2026-01-02T00:00:00Z', $text$
# Privacy notice

Sample text for tests.

## Who is responsible for your data

AAPD de Prueba SpA, RUT 76.904.444-2, is responsible for this service. {{clinic}} and {{financing_provider}} are also responsible for the data that they receive. Write to {{support_email}}.

## Which data we use, and why

- Your name, RUT, e-mail and mobile number: to identify you, to charge you and to keep you informed.
- The document number of your identity card: only to query the registry; we keep a keyed hash of it, not the number.
- Your card: the card processor keeps it. We see its brand, last four digits, expiry date and holder.
- Receipts, orders and prescriptions of your consultation, and your isapre's answers: health data, used only to claim your reimbursement.
- The password of your isapre (private health insurer), if you give it: your browser encrypts it, and only the party that files the claim can open it.
- The decision on your credit, and how it ended: to finance the second part.
- Your IP address, browser and the time when you accept each text: as proof of what you accepted.

## Who receives them

- {{clinic}}: your payments, refunds and the state of your claim; not your password or your full card data.
- {{financing_provider}}: your identity, the debt and how it ended.
- The card processor and your bank; the registry that verifies your identity card; your isapre and the party that files the claim.
- The issuer of the fee's tax receipt, and the tax service (Servicio de Impuestos Internos).
- The companies that send our e-mails and messages and that run our servers, only on our behalf.
- Courts and authorities, when the law requires it.

## An automated decision

{{financing_provider}} decides on the credit with an automated system. If it refuses, we give you the reasons in writing, and you can ask for a person to review it.

## How long we keep them

- Payments, refunds, contract, authorizations and refused credits: without limit, as accounts and proof; they are not erased even if you ask.
- Receipts, orders, prescriptions and your isapre's answers: until you ask us to erase them.
- Your registration and the password of your isapre: until you withdraw them or ask us to erase them. While you owe something, we keep your name and contact.
- Your card, at the processor: until the second charge has ended; if you asked to save it, until you remove it. Its brand and last digits stay with the payment.
- The check of your identity card: 24 hours in the log of queries; your payment keeps that it succeeded.
- The codes that we send you: 2 days.
- An e-mail or message that could not be delivered: 30 days. We do not keep the text of delivered ones.
- What your clinic filled in for you beforehand: 24 hours after the visit ends.
- Notifications to your clinic: 90 days for the delivery attempts; the log of your payment, without limit, and it no longer names you once your data is erased.

## Your rights

In My data you can see, copy, correct and erase your data, object to a use, have them blocked, and withdraw your authorizations. We answer within 30 days. You can also write to {{support_email}}.
$text$);
