-- When the sandbox's insurer was last asked about a claim, or sent its access: after 7 days without it has forgotten the password,
-- as a connector must. Null: not known of a claim that was filed before; its password is kept until it is asked about.
alter table sandbox_claims add column asked_at timestamptz;
