-- What the page says the card is for. Null for an enrolment whose call did not say it.
alter table enrolments add column clinic text, add column total bigint;
