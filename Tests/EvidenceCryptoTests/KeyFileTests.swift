// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceEncoding
import EvidenceErrors
import Foundation
import TestVectorSupport
import Testing

/// Whatever is passed as a key is read, or named.
@Suite struct KeyFileTests {
    // MARK: - The recorded files

    @Test func everyRecordedFileAnswersAsRecorded() throws {
        let files: [KeyFileVector] = try JSONDecoder().decode([KeyFileVector].self, from: Data(keyFile("index.json")))
        #expect(files.count == 40)
        for file in files {
            let bytes = try keyFile(file.file)
            var publicKey: RSAPublicKey?
            let error = failure {
                if file.private {
                    publicKey = try RSAPrivateKey(encoded: secret(bytes), passphrase: secret(passphrase)).publicKey
                } else {
                    publicKey = try RSAPublicKey(encoded: bytes)
                }
            }
            let isWeak = ["modulus-too-small", "exponent-too-small"].contains(file.expect)
            if file.expect == "ok" || isWeak {
                let key = try #require(publicKey, "\(file.file): \(String(describing: error))")
                #expect(key.bitCount == file.bits, "\(file.file)")
                #expect(key.byteCount == file.bits.map { $0 / 8 })
                // Weak keys load, so that old payloads can be opened, but seal nothing.
                #expect(key.hasSealingStrength == !isWeak, "\(file.file)")
                if let recorded = file.spkiSHA256 { #expect(key.fingerprint == recorded, "\(file.file)") }
            } else {
                #expect(publicKey == nil, "\(file.file)")
                let (code, found) = try #require(
                    refusals[file.file], "\(file.file) is new; say what it is answered with")
                #expect(error?.code == code, "\(file.file): \(String(describing: error))")
                #expect(error?.description.contains(found) == true, "\(file.file): \(String(describing: error))")
            }
        }
    }

    /// Keys in other wrappings, several in one file, and what is passed instead of a key.
    @Test func everyFormIsReadOrNamed() throws {
        let vectors: [FoundVector] = try JSONDecoder().decode([FoundVector].self, from: Data(keyFile("found.json")))
        #expect(vectors.count == 200)
        for vector in vectors {
            let bytes = Array(try #require(Data(base64Encoded: vector.encoded)))
            var key: RSAPublicKey?
            let error = failure {
                switch (vector.asked, vector.passphrase) {
                case ("private", let phrase?):
                    key = try RSAPrivateKey(encoded: secret(bytes), passphrase: secret(phrase)).publicKey
                case ("private", nil): key = try RSAPrivateKey(encoded: secret(bytes)).publicKey
                default: key = try RSAPublicKey(encoded: bytes)
                }
            }
            #expect(key?.fingerprint == vector.spkiSHA256, "\(vector.name): \(String(describing: error))")
            #expect(error?.code == vector.code, "\(vector.name): \(String(describing: error))")
            let says = error?.description
            #expect(says?.contains(vector.says ?? "") ?? true, "\(vector.name): \(says as Any)")
            #expect(error?.description.contains("\u{1B}") != true, "\(vector.name)")
            if let wanted = vector.certificate {
                #expect(key?.certificate?.notBefore == wanted.notBefore, "\(vector.name)")
                #expect(key?.certificate?.notAfter == wanted.notAfter, "\(vector.name)")
                #expect(key?.certificate?.permitsEncipherment == wanted.permitsEncipherment, "\(vector.name)")
            }
        }
    }

    /// For each file that is not a usable key, the kind of error and the words that name what was found.
    private let refusals: [String: (EvidenceError.Code, String)] = [
        "ec-p256.pem": (.notRSA, "found an EC key"),
        "ec-p256.public.pem": (.notRSA, "found an EC key"),
        "ed25519.pem": (.notRSA, "found an ED25519 key"),
        "rsa-pss2048.pem": (.notRSA, "found an RSA-PSS key"),
        "truncated-no-end-line.pem": (.unreadableKey, "no -----END line"),
        "truncated-body.pem": (.unreadableKey, "another length"),
        "openssh-public.txt": (.notAKey, "an OpenSSH public key"),
        "certificate-request.pem": (.wrongKindOfKey, "a certificate request"),
        "empty.pem": (.unreadableKey, "empty"),
        "random-text.txt": (.notAKey, "neither a key nor a certificate"),
    ]

    @Test(arguments: [
        ("rsa3072.pem", "PKCS#8, PEM"), ("rsa3072.pkcs8.der", "PKCS#8, DER"), ("rsa3072.pkcs1.pem", "PKCS#1, PEM"),
        ("rsa3072.pkcs1.der", "PKCS#1, DER"), ("rsa3072.scrypt.pem", "PKCS#8, encrypted, PEM"),
        ("rsa3072.pbkdf2.der", "PKCS#8, encrypted, DER"), ("rsa3072.legacy.pem", "PKCS#1, encrypted, PEM"),
        ("rsa3072.pkcs8.base64", "PKCS#8, base64 of DER"), ("rsa3072.pem.base64", "PKCS#8, base64 of PEM"),
    ])
    func aPrivateKeySaysHowItWasFound(file: String, format: String) throws {
        let key = try RSAPrivateKey(encoded: secret(keyFile(file)), passphrase: secret(passphrase))
        #expect(key.format == format)
    }

    @Test(arguments: [
        ("rsa3072.public.pem", "SubjectPublicKeyInfo, PEM"), ("rsa3072.public-pkcs1.der", "PKCS#1, DER"),
        ("rsa3072.certificate.pem", "X.509 certificate, PEM"), ("rsa3072.certificate.der", "X.509 certificate, DER"),
        ("rsa3072.public.base64", "SubjectPublicKeyInfo, base64 of DER"),
    ])
    func aPublicKeySaysHowItWasFound(file: String, format: String) throws {
        #expect(try RSAPublicKey(encoded: keyFile(file)).format == format)
    }

    @Test func allFormsOfAKeyAreEqual() throws {
        let key = try RSAPublicKey(encoded: keyFile("rsa3072.public.pem"))
        let certificate = try RSAPublicKey(encoded: keyFile("rsa3072.certificate.der"))
        #expect(key == certificate)
        #expect(Set([key, certificate, try privateKey("rsa3072.pem").publicKey]).count == 1)
        #expect(try key != RSAPublicKey(encoded: keyFile("other3072.public.pem")))
        #expect(key.description == "RSA-3072 SHA256:\(key.fingerprint)")
    }

    // MARK: - Passphrases

    private static let encrypted = [
        "rsa3072.pbkdf2.pem", "rsa3072.scrypt.pem", "rsa3072.pbkdf2.der", "rsa3072.legacy.pem",
    ]

    @Test(arguments: encrypted)
    func anEncryptedKeyNeedsItsPassphrase(file: String) throws {
        let bytes = try keyFile(file)
        #expect(failure { _ = try RSAPrivateKey(encoded: secret(bytes)) }?.code == .passphraseNeeded)
        for wrong in [
            "wrong", "", "correct horse ", "correct horse\n", "Correct horse", String(repeating: "x", count: 4_096),
        ] {
            let error = failure { _ = try RSAPrivateKey(encoded: secret(bytes), passphrase: secret(wrong)) }
            #expect(error?.code == .wrongPassphrase, "\(wrong): \(String(describing: error))")
        }
        _ = try RSAPrivateKey(encoded: secret(bytes), passphrase: secret(passphrase))
    }

    /// One wrong passphrase in 256 leaves something that looks padded, but is just as wrong. These numbers make
    /// such ones.
    @Test func aWrongPassphraseForAnOldPEMIsNeverADamagedKey() throws {
        let bytes = try keyFile("rsa3072.legacy.pem")
        for number in [548, 620, 784, 1439] + Array(0..<100) {
            let error = failure { _ = try RSAPrivateKey(encoded: secret(bytes), passphrase: secret("wrong \(number)")) }
            #expect(error?.code == .wrongPassphrase, "\(number): \(String(describing: error))")
        }
    }

    @Test(arguments: ["rsa3072.pem", "rsa3072.pkcs1.pem", "rsa3072.pkcs8.der"])
    func aPassphraseForAKeyThatIsNotEncryptedIsNotLookedAt(file: String) throws {
        let key = try RSAPrivateKey(encoded: secret(keyFile(file)), passphrase: secret("whatever"))
        #expect(key.publicKey == (try privateKey("rsa3072.pem")).publicKey)
    }

    @Test func aDamagedOldPEMHeaderIsADamagedKey() throws {
        let text = try keyText("rsa3072.legacy.pem")
        for (old, new) in [("AES-256-CBC", "NO-SUCH-CIPHER"), ("DEK-Info: AES-256-CBC,", "DEK-Info: AES-256-CBC,x")] {
            try #require(text.contains(old))
            let broken = text.replacing(old, with: new)
            let error = failure { _ = try RSAPrivateKey(encoded: secret(broken), passphrase: secret(passphrase)) }
            #expect(error?.code == .unreadableKey)
            #expect(error?.description.contains("DEK-Info") == true)
        }
    }

    // MARK: - The wrong half

    @Test(arguments: [
        "rsa3072.public.pem", "rsa3072.public.der", "rsa3072.certificate.pem", "rsa3072.public-pkcs1.pem",
    ])
    func aPublicKeyIsNotTakenForAPrivateOne(file: String) throws {
        let bytes = try keyFile(file)
        let error = failure { _ = try RSAPrivateKey(encoded: secret(bytes)) }
        #expect(error?.code == .wrongKindOfKey)
        #expect(error?.description.hasPrefix("expected a private key, found a public key (") == true)
    }

    @Test(arguments: [
        "rsa3072.pem", "rsa3072.pkcs8.der", "rsa3072.pkcs1.pem", "rsa3072.pbkdf2.pem", "rsa3072.pbkdf2.der",
        "rsa3072.legacy.pem", "rsa3072.pkcs8.base64",
    ])
    func aPrivateKeyIsNotTakenForAPublicOne(file: String) throws {
        let bytes = try keyFile(file)
        let error = failure { _ = try RSAPublicKey(encoded: bytes) }
        #expect(error?.code == .wrongKindOfKey, "\(String(describing: error))")
        #expect(error?.description.contains("private key") == true)
        #expect(error?.description.hasPrefix("expected a public key, found ") == true)
        #expect(error?.hint?.contains("-pubout") == true)
    }

    /// Their public half would not help.
    @Test(arguments: ["ec-p256.pem", "ed25519.pem"]) func anotherAlgorithmsPrivateKeyHasNoHintToItsPublicHalf(
        file: String
    ) throws {
        let bytes = try keyFile(file)
        let error = failure { _ = try RSAPublicKey(encoded: bytes) }
        #expect(error?.code == .wrongKindOfKey && error?.hint?.contains("-pubout") == false)
    }

    // MARK: - Packing

    @Test func aCertificateMayStandBeforeItsKey() throws {
        let both = try keyFile("rsa3072.certificate.pem") + keyFile("rsa3072.pem")
        let key = try RSAPrivateKey(encoded: secret(both))
        #expect(key.publicKey.fingerprint == (try RSAPublicKey(encoded: both)).fingerprint)
        let reversed = try keyFile("other3072.pem") + keyFile("rsa3072.certificate.pem")
        #expect(try RSAPublicKey(encoded: reversed) == key.publicKey)
        #expect(try RSAPrivateKey(encoded: secret(reversed)).publicKey == (try privateKey("other3072.pem")).publicKey)
    }

    @Test func theFirstOfSeveralKeysCounts() throws {
        let both = try keyFile("other3072.public.pem") + keyFile("rsa3072.public.pem")
        #expect(try RSAPublicKey(encoded: both) == RSAPublicKey(encoded: keyFile("other3072.public.pem")))
    }

    @Test func parametersBeforeAKeyAreSkipped() throws {
        // What `openssl ecparam -genkey` writes before a key: the object identifier of P-256.
        let parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"
        let text = try parameters + keyText("rsa3072.pem")
        _ = try RSAPrivateKey(encoded: secret(text))
        let alone = failure { _ = try RSAPrivateKey(encoded: secret(parameters)) }
        #expect(alone?.code == .wrongKindOfKey)
        #expect(alone?.description.contains("parameters") == true)
    }

    /// How files look after they have been through mail, editors and other systems.
    @Test(arguments: ["rsa3072.pem", "rsa3072.scrypt.pem", "rsa3072.legacy.pem"])
    func aPEMMayHaveBeenThroughOtherSystems(file: String) throws {
        let text = try keyText(file)
        let expected = try privateKey("rsa3072.pem").publicKey
        let forms = [
            ("CRLF", text.replacing("\n", with: "\r\n")),
            ("text before", "Bag Attributes\n    friendlyName: key\n\nsubject=CN = x\n" + text),
            ("text after", text + "\nthat was the key\n"),
            ("white space before", "\n \n\n" + text),
            ("no last line feed", String(text.dropLast())),
            ("a byte-order mark", "\u{FEFF}" + text),
            ("a byte-order mark and CRLF", "\u{FEFF}" + text.replacing("\n", with: "\r\n")),
        ]
        for (what, form) in forms {
            let error = failure {
                let key = try RSAPrivateKey(encoded: secret(form), passphrase: secret(passphrase))
                #expect(key.publicKey == expected, "\(what)")
            }
            #expect(error == nil, "\(what): \(String(describing: error))")
        }
    }

    @Test func aPublicPEMMayBeginWithAByteOrderMarkToo() throws {
        let key = try RSAPublicKey(encoded: Array("\u{FEFF}".utf8) + keyFile("rsa3072.public.pem"))
        #expect(key == (try privateKey("rsa3072.pem")).publicKey)
    }

    @Test func base64MayHaveLineBreaksAndSpaces() throws {
        let text = try keyText("rsa3072.public.base64")
        let broken = text.enumerated().map { ($0 % 50 == 0 ? " \r\n\t" : "") + String($1) }.joined()
        #expect(try RSAPublicKey(encoded: broken.utf8) == (try privateKey("rsa3072.pem")).publicKey)
    }

    // MARK: - Damage

    @Test(arguments: [
        "rsa3072.pkcs8.der", "rsa3072.pkcs1.der", "rsa3072.public.der", "rsa3072.public-pkcs1.der",
        "rsa3072.certificate.der",
    ])
    func aDERTakesNoByteMoreOrLess(file: String) throws {
        let der = try keyFile(file)
        for bytes in [der + [0], der + [0x0A], Array(der.dropLast()), der + der, Array(der.prefix(20)), [0x30]] {
            // One byte of it could as well be the text "0".
            let code: EvidenceError.Code = bytes.count == 1 ? .notAKey : .unreadableKey
            #expect(failure { _ = try RSAPrivateKey(encoded: secret(bytes)) }?.code == code)
            #expect(failure { _ = try RSAPublicKey(encoded: bytes) }?.code == code)
        }
    }

    /// Whatever byte is changed, what was read is what is written: a public key is the one that the changed DER holds,
    /// a private key the one it was, since its numbers vouch for each other.
    @Test func aChangedByteIsRefusedOrReadAsAKey() throws {
        let key = try privateKey("rsa3072.pem").publicKey
        let refusals: Set<EvidenceError.Code> = [
            .notAKey, .unreadableKey, .wrongKindOfKey, .notRSA, .weakKey, .passphraseNeeded, .wrongPassphrase,
        ]
        var (read, refused, others) = (0, 0, 0)
        for (name, isPublic) in [
            ("rsa3072.public.der", true), ("rsa3072.certificate.der", true), ("rsa3072.pkcs8.der", false),
            ("rsa3072.pkcs1.der", false), ("rsa3072.pem", false), ("rsa3072.legacy.pem", false),
        ] {
            let file = try keyFile(name)
            // The first bytes hold the structure.
            for place in Array(0..<64) + Array(stride(from: 64, to: file.count, by: 29)) {
                var bytes = file
                bytes[place] ^= UInt8(1 << (place % 8))
                var found: RSAPublicKey?
                let error = failure {
                    found =
                        isPublic
                        ? try RSAPublicKey(encoded: bytes)
                        : try RSAPrivateKey(encoded: secret(bytes), passphrase: secret(passphrase)).publicKey
                }
                guard let found else {
                    refused += 1
                    #expect(error.map { refusals.contains($0.code) } == true, "\(name), \(place): \(error as Any)")
                    continue
                }
                read += 1
                if found != key {
                    others += 1
                    let lines = try found.pem().split(separator: "\n").dropFirst().dropLast()
                    let written = Array(try #require(Data(base64Encoded: lines.joined())))
                    #expect(isPublic && bytes.contains(written), "\(name), \(place) is read as another key")
                }
            }
        }
        // All three happen, or nothing was tried.
        #expect(read > 20)
        #expect(others > 5)
        #expect(refused > 300)
    }

    @Test(arguments: [
        (#"{"kty":"RSA","n":"AQAB"}"#, "JWK"), (#"{"n":"AQAB"}"#, "JSON"), ("ecdsa-sha2-nistp256 AAAA", "OpenSSH"),
        ("---- BEGIN SSH2 PUBLIC KEY ----", "SSH2"), ("0000", "neither a key"), ("AAAA", "a placeholder"),
        ("====", "neither a key"), (String(repeating: "9f3a", count: 16), "as many as a fingerprint (SHA-256) has"),
        ("\n", "neither a key"), ("-----BEGIN PRIVATE KEY-----", "no -----END line"),
        ("-----BEGIN PRIVATE KEY-----\n!!!!\n-----END PRIVATE KEY-----\n", "other characters"),
        ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", "ends as PUBLIC KEY"),
    ])
    func somethingOtherThanAKeyIsNamed(text: String, found: String) {
        for error in [
            failure { _ = try RSAPublicKey(encoded: text.utf8) },
            failure { _ = try RSAPrivateKey(encoded: secret(text)) },
        ] {
            let isOrWasKey = text.hasPrefix("-----BEGIN ") || found == "JWK"
            #expect(error?.code == (isOrWasKey ? .unreadableKey : .notAKey))
            #expect(error?.description.contains(found) == true, "\(String(describing: error))")
        }
    }

    @Test func aFileIsNotLongerThanTheLimit() {
        let error = failure { _ = try RSAPublicKey(encoded: [UInt8](repeating: 0x41, count: Limits.keyFileBytes + 1)) }
        #expect(error?.code == .unreadableKey)
        #expect(error?.description.contains("too long") == true)
    }

    @Test func anOpenSSHPrivateKeyIsToldHowToBeConverted() {
        let text = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\n-----END OPENSSH PRIVATE KEY-----\n"
        let error = failure { _ = try RSAPrivateKey(encoded: secret(text)) }
        #expect(error?.code == .unreadableKey)
        #expect(error?.hint?.contains("ssh-keygen") == true)
    }

    // MARK: - Numbers no honest generator makes

    @Test(
        arguments: [
            ("16384 bits", 2_048, 0x01, [1, 0, 1]), ("8200 bits", 1_025, 0x01, [1, 0, 1]),
            ("1016 bits", 127, 0x01, [1, 0, 1]),
            ("an even modulus", 384, 0x00, [1, 0, 1]), ("exponent 1", 384, 0x01, [1]),
            ("an even exponent", 384, 0x01, [1, 0, 0]),
            ("exponent 0", 384, 0x01, [0]), ("an exponent of 72 bits", 384, 0x01, [1, 0, 0, 0, 0, 0, 0, 0, 1]),
        ] as [(String, Int, UInt8, [UInt8])])
    func aKeyOfUnsoundNumbersIsRefused(what: String, byteCount: Int, lowest: UInt8, exponent: [UInt8]) {
        var random = SeededGenerator(seed: 2)
        var modulus = random.bytes(byteCount)
        modulus[0] |= 0x80
        modulus[byteCount - 1] = modulus[byteCount - 1] & 0xFE | lowest
        let forms = [
            DER.publicKey(modulus: modulus, exponent: exponent),
            DER.sequence(DER.integer(modulus), DER.integer(exponent)),
        ]
        for der in forms {
            let error = failure { _ = try RSAPublicKey(encoded: der) }
            #expect(error?.code == .weakKey, "\(what): \(String(describing: error))")
        }
    }

    @Test(arguments: [(128, 1024), (129, 1032), (1_024, 8192)])
    func aKeyOfAnySizeBetweenIsRead(byteCount: Int, bitCount: Int) throws {
        var random = SeededGenerator(seed: 3)
        var modulus = random.bytes(byteCount)
        modulus[0] |= 0x80
        modulus[byteCount - 1] |= 1
        let key = try RSAPublicKey(encoded: DER.publicKey(modulus: modulus, exponent: [1, 0, 1]))
        #expect(key.bitCount == bitCount)
        #expect(key.byteCount == byteCount)
    }

    @Test func aModulusNeedNotFillItsBytes() throws {
        var modulus = [UInt8](repeating: 0xA5, count: 256)
        modulus[0] = 0x40
        let key = try RSAPublicKey(encoded: DER.publicKey(modulus: modulus, exponent: [1, 0, 1]))
        #expect(key.bitCount == 2047)
        #expect(key.byteCount == 256)
        #expect(!key.hasSealingStrength)
        let wrapped = try key.wrap(.generate(), as: weakWrapping)
        #expect(wrapped.count == 256)
    }

    private struct KeyFileVector: Decodable {
        let file: String
        let `private`: Bool
        let bits: Int?
        let expect: String
        let spkiSHA256: String?
    }

    private struct FoundVector: Decodable {
        let name, asked, encoded, expect: String
        let says, passphrase, spkiSHA256: String?
        let certificate: Facts?

        struct Facts: Decodable {
            let notBefore, notAfter: Int64
            let permitsEncipherment: Bool
        }

        /// The error's code; `nil` where there is none.
        var code: EvidenceError.Code? {
            switch expect {
            case "notAKey": .notAKey
            case "unreadableKey": .unreadableKey
            case "wrongKindOfKey": .wrongKindOfKey
            case "notRSA": .notRSA
            case "weakKey": .weakKey
            case "passphraseNeeded": .passphraseNeeded
            case "wrongPassphrase": .wrongPassphrase
            default: nil
            }
        }
    }
}
