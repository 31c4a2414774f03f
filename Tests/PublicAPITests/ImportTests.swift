// SPDX-License-Identifier: Apache-2.0
// Nothing else is imported here: what compiles is what a service that has Foundation sees of `import EvidenceKit`.

import EvidenceKit
import Foundation
import TestVectorSupport
import Testing

/// Every type that `import EvidenceKit` shows, named without its module beside Foundation.
private enum Shown {
    typealias ChallengeStoreName = any ChallengeStore
    typealias CoveredFieldName = CoveredField
    typealias CoveredFieldFindingName = CoveredFieldFinding
    typealias DeviceExpectationName = DeviceExpectation
    typealias DeviceChallengeName = DeviceChallenge
    typealias DeviceManifestName = DeviceManifest
    typealias DeviceSignatureReceiverName = DeviceSignatureReceiver
    typealias DeviceSignatureRefusalName = DeviceSignatureRefusal
    typealias DeviceSignatureVerificationName = DeviceSignatureVerification
    typealias DeviceSignatureVerifierName = DeviceSignatureVerifier
    typealias DeviceSignedResultName = DeviceSignedResult
    typealias DeviceSignerName = DeviceSigner
    typealias DeviceSigningDestinationName = DeviceSigningDestination
    typealias RegisteredDeviceKeysName = RegisteredDeviceKeys
    typealias P256PrivateKeyName = P256PrivateKey
    typealias P256PublicKeyName = P256PublicKey
    typealias P256SignatureName = P256Signature
    typealias AESKeyName = AESKey
    typealias DecryptionKeyName = any DecryptionKey
    typealias DigestAlgorithmName = DigestAlgorithm
    typealias KeyStoreName = KeyStore
    typealias KeyWrappingName = KeyWrapping
    typealias OAEPName = OAEP
    typealias OpenSSLMemoryName = OpenSSLMemory
    typealias RSAPrivateKeyName = RSAPrivateKey
    typealias RSAPublicKeyName = RSAPublicKey
    typealias SecretBytesName = SecretBytes
    typealias SubstituteSecretName = SubstituteSecret
    typealias Base64Name = Base64
    typealias EvidenceErrorName = EvidenceError
    typealias ByteDestinationName = any ByteDestination
    typealias ByteReceiverName = any ByteReceiver
    typealias ByteSourceName = any ByteSource
    typealias DescriptorDestinationName = DescriptorDestination
    typealias DiscardingDestinationName = DiscardingDestination
    typealias FileSourceName = FileSource
    typealias MemoryDestinationName = MemoryDestination
    typealias MemorySourceName = MemorySource
    typealias WholeFileName = WholeFile
    typealias ProcessProtectionName = ProcessProtection
    typealias MediaContentName = MediaContent
    typealias CheckAnswerName = CheckAnswer
    typealias CheckItemName = CheckItem
    typealias CheckPartName = CheckPart
    typealias CheckReceiptName = CheckReceipt
    typealias CheckReceiverName = CheckReceiver
    typealias CheckRequirementsName = CheckRequirements
    typealias CheckStateName = CheckState
    typealias CheckStrengthName = CheckStrength
    typealias ContentDigestName = ContentDigest
    typealias DocumentInspectionName = DocumentInspection
    typealias EvidenceReportName = EvidenceReport
    typealias HeldContentName = HeldContent
    typealias IdentifyStatementName = IdentifyStatement
    typealias KeptPartsName = KeptParts
    typealias NonceStoreName = any NonceStore
    typealias OpenReportName = OpenReport
    typealias PayloadAssemblerName = PayloadAssembler
    typealias PayloadOpenerName = PayloadOpener
    typealias PayloadReceiverName = PayloadReceiver
    typealias ProfileName = Profile
    typealias SpoolMemoryName = SpoolMemory
    typealias TagCoverageName = TagCoverage
    typealias ResultCheckerName = ResultChecker
    typealias SealedFieldName = SealedField
    typealias SealedVideoReaderName = SealedVideoReader
    typealias PayloadSealerName = PayloadSealer
    typealias UTCTimeName = UTCTime
    typealias DocumentRepairName = DocumentRepair
    typealias FieldTextName = FieldText
    typealias ToleranceName = Tolerance
    typealias FaceDocumentName = FaceDocument
    typealias FaceErrorMeaningName = FaceErrorMeaning
    typealias FaceRecordAnswerName = FaceRecordAnswer
    typealias UnverifiedFaceVerifyResultName = UnverifiedFaceVerifyResult
    typealias UnsealedContentName = UnsealedContent
    typealias UserImageName = UserImage
    typealias WBFaceErrorName = WBFaceError
    typealias WBFaceRiskInfoName = WBFaceRiskInfo
    typealias WBFaceSimpleModeResultName = WBFaceSimpleModeResult
    typealias WBFaceVerifyResultName = WBFaceVerifyResult
    typealias WBFaceWillModeResultName = WBFaceWillModeResult
    typealias CallbackVerificationName = CallbackVerification
    typealias InMemoryTicketStoreName = InMemoryTicketStore
    typealias SignName = Sign
    typealias SignAcceptanceName = SignAcceptance
    typealias SignAssignmentName = SignAssignment
    typealias SignInputName = SignInput
    typealias SignRecipeName = SignRecipe
    typealias SignRejectionName = SignRejection
    typealias SignVerificationName = SignVerification
    typealias TicketName = Ticket
    typealias TicketFetchingName = any TicketFetching
    typealias TicketStoreName = any TicketStore
    typealias UntrustedName = Untrusted
    typealias UnverifiedCallbackName = UnverifiedCallback
    typealias VerifiedCallbackName = VerifiedCallback
    typealias UserVideoName = UserVideo
    typealias AppIdName = AppId
    typealias FaceAttemptName = FaceAttempt
    typealias UserIdName = UserId
    typealias FaceScoreName = FaceScore
    typealias OrderNumberName = OrderNumber
    typealias DigesterName = Digester
    typealias FileIdentityName = FileIdentity
    typealias SignNonceName = SignNonce
}

@Suite struct ImportTests {
    private let shown: [String]
    private let own: String

    init() throws {
        let root = Vectors.folder.deletingLastPathComponent()
        let list = try String(
            contentsOf: root.appending(path: "Sources/EvidenceKit/EvidenceKit.swift"), encoding: .utf8)
        shown = list.split(separator: "\n").filter { $0.hasPrefix("@_exported") }
            .compactMap { $0.split(separator: ".").last.map(String.init) }
        own = try String(contentsOfFile: #filePath, encoding: .utf8)
    }

    @Test func everyShownTypeIsNamedAbove() {
        #expect(shown.count > 60)
        for name in shown { #expect(own.contains("typealias \(name)Name = "), "\(name)") }
    }

    /// A service may have swift-crypto, too. These are the names at its top that we know of.
    @Test func noNameIsSwiftCryptos() {
        let theirs: Set = [
            "AES", "ChaChaPoly", "CryptoKitASN1Error", "CryptoKitError", "Curve25519", "DHKEM",
            "DiffieHellmanKeyAgreement",
            "Digest", "HKDF", "HMAC", "HPKE", "HPKEDiffieHellmanPrivateKey", "HPKEDiffieHellmanPrivateKeyGeneration",
            "HPKEDiffieHellmanPublicKey", "HPKEKEMPrivateKey", "HPKEKEMPrivateKeyGeneration", "HPKEKEMPublicKey",
            "HashFunction", "HashedAuthenticationCode", "Insecure", "KDF", "KEM", "KEMPrivateKey", "KEMPublicKey",
            "MessageAuthenticationCode", "MLDSA65", "MLDSA87", "MLKEM1024", "MLKEM768", "P256", "P384", "P521",
            "SHA256",
            "SHA256Digest", "SHA384", "SHA384Digest", "SHA3_256", "SHA3_384", "SHA3_512", "SHA512", "SHA512Digest",
            "SharedSecret", "SymmetricKey", "SymmetricKeySize", "XWingMLKEM768X25519", "_RSA",
        ]
        #expect(theirs.isDisjoint(with: shown))
    }
}
