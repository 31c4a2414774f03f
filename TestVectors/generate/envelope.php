<?php
// SPDX-License-Identifier: Apache-2.0
// The presets of docs/PROFILES.md that PHP's openssl functions can seal: those with PKCS#1 v1.5.
// Usage: php envelope.php seal PUBLIC VIDEO FOLDER PROFILE...
[, $verb, $public, $video, $folder] = $argv;
foreach (array_slice($argv, 5) as $profile) {
    $key = $profile === 'zoloz' ? random_bytes(32) : substr(bin2hex(random_bytes(32)), 0, 32);
    $iv = ['zoloz' => '', 'wbface-simple' => '0123456789abcdef'][$profile] ?? random_bytes(16);
    $cipher = $profile === 'zoloz' ? 'aes-256-ecb' : 'aes-256-cbc';
    $sealed = openssl_encrypt(file_get_contents($video), $cipher, $key, OPENSSL_RAW_DATA, $iv);
    openssl_public_encrypt($key, $wrapped, file_get_contents($public)) or exit(1);
    $payload = ['orderNo' => 'ord1', 'videoEncryptAESKey' => base64_encode($wrapped)];
    if ($profile === 'tencent-faceid') {
        $payload['Iv'] = base64_encode($iv);
    }
    // PHP escapes each solidus.
    file_put_contents("$folder/$profile.json", json_encode($payload + ['userVideoString' => base64_encode($sealed)]) . "\n");
}
