<?php
// SPDX-License-Identifier: Apache-2.0
// A page under PHP-FPM. For long bodies set client_max_body_size in nginx; the pool's user is in the group of the socket.
declare(strict_types=1);
require __DIR__ . '/EvidenceService.php';

$service = new EvidenceService(getenv('EVIDENCE_SOCKET') ?: '/run/evidence/evidence.sock');
header('Content-Type: application/json');
try {
    // The user is that of your session.
    $report = $service->check('php://input', ['orderNo' => $_GET['order'] ?? null, 'userId' => 'u-1']);
    echo json_encode(['passed' => $report['verdict'] === 'holds']);
} catch (EvidenceProblem $problem) {
    http_response_code($problem->status < 500 ? $problem->status : 502);
    if ($problem->retryAfter !== null) header("Retry-After: $problem->retryAfter");
    echo json_encode(['code' => $problem->document['code'] ?? null]);
}
