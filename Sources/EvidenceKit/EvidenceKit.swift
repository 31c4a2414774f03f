/// What most users import: payloads, results, signs, keys, encodings, and the sources and destinations of bytes.
@_exported public import EvidenceCrypto
@_exported public import EvidenceEncoding
@_exported public import EvidenceErrors
@_exported public import EvidenceStreams
@_exported public import MediaStructure
@_exported public import SimpleMode
@_exported public import VendorDocuments
@_exported public import VendorResults
@_exported public import VendorSigning
@_exported public import VendorTypes
