-- Access to the insurer that is given again may be refused again, which its patient is told with a new link.
alter table claims
  -- When the access was given that the insurer has been handed since the claim was filed; null: none was.
  add column renewed_access_at timestamptz,
  -- When it was found that nobody may ask about it for a while: blocked access that was observed before is not counted.
  add column unfollowed_at timestamptz;
