<?php
// SPDX-License-Identifier: Apache-2.0
// A client of evidence-service in one file, for PHP 8.1 and later with its curl extension.
//
//   $service = new EvidenceService('/run/evidence/evidence.sock');
//   $service->open('payload.json', 'video.mp4', ['orderNo' => 'ord1']);
//   $report = $service->check('result.json', ['orderNo' => 'ord1']);
declare(strict_types=1);

final class EvidenceProblem extends RuntimeException
{
    public function __construct(public readonly int $status, public readonly array $document)
    {
        $title = $document['title'] ?? 'refused without a problem document';
        parent::__construct("$title ($status " . ($document['code'] ?? '-') . ')');
    }
}

final class EvidenceService
{
    public function __construct(private string $path, private int $seconds = 60) {}

    /** Opens the video of a payload's file into a new file: whole, or not at all. */
    public function open(string $payload, string $destination, array $query): void
    {
        $part = "$destination.part";
        $file = @fopen($part, 'x') ?: throw new RuntimeException("cannot write $part");
        try {
            chmod($part, 0600);
            $this->request('open', self::reading($payload), filesize($payload), $query, $file);
            fclose($file) || throw new RuntimeException("cannot write $part");
            link($part, $destination) || throw new RuntimeException("cannot write $destination");
        } finally {
            unlink($part);
        }
    }

    /** The report of a result's file. Look at its verdict: only 'holds' is yes. */
    public function check(string $result, array $query): array
    {
        return json_decode($this->request('check', self::reading($result), filesize($result), $query), true);
    }

    public function verify(string $recipe, string $sign, array $values): array
    {
        $body = fopen('php://memory', 'w+b');
        $size = fwrite($body, json_encode(['recipe' => $recipe, 'sign' => $sign, 'values' => (object) $values]));
        rewind($body);
        return json_decode($this->request('verify', $body, $size, []), true);
    }

    private static function reading(string $path)
    {
        return @fopen($path, 'rb') ?: throw new RuntimeException("cannot read $path");
    }

    private function request(string $operation, $body, int $size, array $query, $file = null): string
    {
        [$content, $fields, $digest, $count] = ['', [], hash_init('sha256'), 0];
        $curl = curl_init("http://evidence/v1/$operation?" . http_build_query($query, '', '&', PHP_QUERY_RFC3986));
        curl_setopt_array($curl, [
            CURLOPT_UNIX_SOCKET_PATH => $this->path, CURLOPT_TIMEOUT => $this->seconds, CURLOPT_UPLOAD => true,
            CURLOPT_CUSTOMREQUEST => 'POST', CURLOPT_INFILE => $body, CURLOPT_INFILESIZE => $size,
            // Without this, curl would wait for "100 Continue" before it sends the body.
            CURLOPT_HTTPHEADER => ['Content-Type: application/json', 'Expect:'],
            CURLOPT_HEADERFUNCTION => function ($curl, string $line) use (&$fields): int {
                [$name, $value] = explode(':', $line, 2) + [1 => ''];
                $fields[strtolower($name)] = trim($value);
                return strlen($line);
            },
            CURLOPT_WRITEFUNCTION => function ($curl, string $piece) use (&$content, &$count, $digest, $file): int {
                hash_update($digest, $piece);
                $count += strlen($piece);
                if ($file === null || curl_getinfo($curl, CURLINFO_RESPONSE_CODE) !== 200) $content .= $piece;
                // A short write ends the transfer: the digest would not show that the disk is full.
                elseif (@fwrite($file, $piece) !== strlen($piece) || !@fflush($file)) return 0;
                return strlen($piece);
            },
        ]);
        $isWhole = curl_exec($curl);
        $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        $expected = 'sha-256=:' . base64_encode(hash_final($digest, true)) . ':';
        // After a refusal the upload may have failed, because the service does not read all of it.
        if (!$isWhole && ($status === 200 || $status === 0)) throw new RuntimeException(curl_error($curl));
        if ($status !== 200 && !isset($fields['repr-digest'])) throw new EvidenceProblem($status, []);
        if (($fields['content-length'] ?? '') !== (string) $count || ($fields['repr-digest'] ?? '') !== $expected) {
            throw new RuntimeException('the answer is incomplete');
        }
        if ($status !== 200) throw new EvidenceProblem($status, (array) json_decode($content, true));
        return $content;
    }
}
