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
    typealias DeviceExpectationName = DeviceExpectation
    typealias DeviceChallengeName = DeviceChallenge
    typealias DeviceSignerName = DeviceSigner
    typealias DeviceSigningDestinationName = DeviceSigningDestination
    typealias RegisteredDeviceKeysName = RegisteredDeviceKeys
    typealias P256PrivateKeyName = P256PrivateKey
    typealias P256PublicKeyName = P256PublicKey
    typealias P256SignatureName = P256Signature
    typealias DecryptionKeyName = any DecryptionKey
    typealias DigestAlgorithmName = DigestAlgorithm
    typealias KeyStoreName = KeyStore
    typealias OAEPName = OAEP
    typealias OpenSSLMemoryName = OpenSSLMemory
    typealias RSAPrivateKeyName = RSAPrivateKey
    typealias RSAPublicKeyName = RSAPublicKey
    typealias SecretBytesName = SecretBytes
    typealias SubstituteSecretName = SubstituteSecret
    typealias Base64Name = Base64
    typealias EvidenceErrorName = EvidenceError
    typealias ByteDestinationName = any ByteDestination
    typealias ByteSourceName = any ByteSource
    typealias DescriptorDestinationName = DescriptorDestination
    typealias FileSourceName = FileSource
    typealias MemoryDestinationName = MemoryDestination
    typealias MemorySourceName = MemorySource
    typealias WholeFileName = WholeFile
    typealias ProcessProtectionName = ProcessProtection
    typealias CheckAnswerName = CheckAnswer
    typealias CheckPartName = CheckPart
    typealias CheckReceiverName = CheckReceiver
    typealias CheckRequirementsName = CheckRequirements
    typealias CheckStateName = CheckState
    typealias DocumentInspectionName = DocumentInspection
    typealias EvidenceReportName = EvidenceReport
    typealias HeldContentName = HeldContent
    typealias NonceStoreName = any NonceStore
    typealias PayloadAssemblerName = PayloadAssembler
    typealias PayloadOpenerName = PayloadOpener
    typealias ProfileName = Profile
    typealias ResultCheckerName = ResultChecker
    typealias PayloadSealerName = PayloadSealer
    typealias UTCTimeName = UTCTime
    typealias DocumentRepairName = DocumentRepair
    typealias CallbackVerificationName = CallbackVerification
    typealias WBFaceVerifyResultName = WBFaceVerifyResult
    typealias UnverifiedFaceVerifyResultName = UnverifiedFaceVerifyResult
    typealias UnsealedContentName = UnsealedContent
    typealias InMemoryTicketStoreName = InMemoryTicketStore
    typealias SignName = Sign
    typealias SignAssignmentName = SignAssignment
    typealias SignInputName = SignInput
    typealias SignRecipeName = SignRecipe
    typealias TicketName = Ticket
    typealias TicketFetchingName = any TicketFetching
    typealias TicketStoreName = any TicketStore
    typealias UnverifiedCallbackName = UnverifiedCallback
    typealias AppIdName = AppId
    typealias FaceAttemptName = FaceAttempt
    typealias UserIdName = UserId
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
