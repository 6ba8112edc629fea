<?php

/** Is this webhook ours? `$rawBody`: file_get_contents('php://input'), before any JSON parser has touched it. */
function is_genuine(string $rawBody, ?string $signature, string $webhookSecret): bool
{
    $expected = 'sha256=' . hash_hmac('sha256', $rawBody, $webhookSecret);
    return hash_equals($expected, $signature ?? '');
}
