require "openssl"

# Is this webhook ours? `raw_body`: request.body.read, before any JSON parser has touched it.
def genuine?(raw_body, signature, webhook_secret)
  expected = "sha256=" + OpenSSL::HMAC.hexdigest("SHA256", webhook_secret, raw_body)
  OpenSSL.secure_compare(expected, signature.to_s)
end
