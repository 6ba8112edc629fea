using System;
using System.Security.Cryptography;
using System.Text;

static class VerifyWebhook
{
    /// <summary>Is this webhook ours? rawBody: the bytes as they came, before any JSON parser has touched them.</summary>
    public static bool IsGenuine(byte[] rawBody, string? signature, string webhookSecret)
    {
        var hash = HMACSHA256.HashData(Encoding.UTF8.GetBytes(webhookSecret), rawBody);
        var expected = "sha256=" + Convert.ToHexString(hash).ToLowerInvariant();
        return CryptographicOperations.FixedTimeEquals(
            Encoding.UTF8.GetBytes(expected), Encoding.UTF8.GetBytes(signature ?? ""));
    }
}
