-- Codes of links count for a day, and are removed after two.
create index link_codes_by_age on link_codes (created_at);
