<?php

/* Gets keys of the sandbox, without an account, and writes them to .env: php get-keys.php */

declare(strict_types=1);

$orderApi = getenv('ORDER_API') ?: 'https://ORDER_API';

function call(string $url, ?array $body = null): array
{
    $options = ['timeout' => 30];
    if ($body !== null) {
        $content = json_encode($body);
        $options += ['method' => 'POST', 'header' => 'Content-Type: application/json', 'content' => $content];
    }
    $text = file_get_contents($url, false, stream_context_create(['http' => $options]));
    return json_decode($text ?: exit(1), true, 512, JSON_THROW_ON_ERROR);
}

/** The proof of work: a text with which the SHA-256 of `challenge.text` begins with so many zero bits. */
function solve(string $challenge, int $bits): string
{
    for ($number = 0;; $number += 1) {
        $start = unpack('N', hash('sha256', "$challenge.$number", true))[1];
        if ($start >> (32 - $bits) === 0) {
            return (string) $number;
        }
    }
}

['challenge' => $challenge, 'bits' => $bits] = call("$orderApi/sandbox/keys/challenge");
$keys = call("$orderApi/sandbox/keys", [
    'challenge' => $challenge,
    'solution' => solve($challenge, $bits),
    'origins' => ['http://127.0.0.1:3000', 'http://localhost:3000'],
]);
$variables = $keys['addresses'] + $keys['credentials'] + ['provider_id' => $keys['provider']['id']];
$lines = '';
foreach ($variables as $name => $value) {
    $lines .= strtoupper($name) . "=$value\n";
}
umask(0077);
file_put_contents('.env', $lines);
echo "The keys are in .env, and live until {$keys['ends_at']}.\n";
