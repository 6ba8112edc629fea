require "base64"
require File.join(ENV.fetch("SAMPLES"), "verify_webhook.rb")

ARGV.each_slice(3) do |body, signature, secret|
  puts genuine?(Base64.strict_decode64(body), signature == "-" ? nil : signature, secret)
end
