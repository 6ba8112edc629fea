-- The clinic's WhatsApp number for patients, in E.164. The version before leaves it null.
alter table providers add column support_whatsapp text;
