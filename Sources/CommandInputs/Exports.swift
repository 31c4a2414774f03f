// SPDX-License-Identifier: Apache-2.0
// What a command of another package needs of the modules below, without an import of its own.

@_exported public import enum EvidenceEncoding.JSONValue
@_exported public import enum EvidenceEncoding.Limits
@_exported public import func EvidenceErrors.printable
@_exported public import func EvidenceStreams.concurrentMap
