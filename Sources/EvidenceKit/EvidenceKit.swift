/// What most users import: the payload, the keys, and the sources and destinations of bytes.
@_exported public import EvidenceCrypto
@_exported public import EvidenceStreams
@_exported public import FaceVerification
@_exported public import SimpleMode
