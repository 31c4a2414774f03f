// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceKit
import EvidencePayload
import Foundation
import PayloadTestSupport
import TestVectorSupport
import Testing

/// Profiles: their JSON form, and sealing and opening under every one of them.
@Suite struct ProfileTests {
    /// Without a tag, and under each padding but OAEP, an answer is for the key's holder alone.
    @Test(arguments: [("oaep", false), ("pkcs1-v1.5", true), ("weak-none", true)])
    func aWeakPaddingMakesAnOracle(_ padding: String, _ isOracle: Bool) throws {
        var document = ProfileDocument(try #require(Profile.preset(named: "java-default")))
        document[.name] = "test"
        for member: ProfileDocument.Member in [.oaepHash, .mgf1Hash] where isOracle { document[member] = nil }
        document[.rsaPadding] = padding
        let profile = try document.profile()
        #expect(profile.isAuthenticated && profile.isOracle == isOracle)
    }

    /// Reports repeat what a profile says of itself, so nobody else speaks under a built-in name.
    @Test(arguments: Profile.presets.map(\.name), [ProfileDocument.Member.about, .source, .unconfirmed])
    func aBuiltInNameIsNotTaken(name: String, member: ProfileDocument.Member) throws {
        var document = ProfileDocument(try #require(Profile.preset(named: name)))
        document[member] = "other words"
        #expect(throws: EvidenceError(.profile, "")) { try document.profile() }
        document[.name] = "other"
        #expect(try document.profile().name == "other")
    }

    @Test func presetsAreTheFilesAndReadAsTheyWrite() throws {
        #expect(
            Profile.presets.map(\.name) == [
                "evidence-v2", "evidence-v1", "wbface-simple", "tencent-faceid", "zoloz", "java-default",
            ])
        #expect(Profile.preset(named: "evidence-v2") == .evidenceV2)
        for preset in Profile.presets { #expect(try Profile(json: Array(preset.json.utf8)) == preset) }
        #expect(
            Profile.presets.filter { $0.unconfirmed == nil }.map(\.name) == [
                "evidence-v2", "evidence-v1", "java-default",
            ])
        #expect(
            Profile.presets.filter(\.isAuthenticated).map(\.name) == ["evidence-v2", "evidence-v1", "java-default"])
    }

    @Test(arguments: [
        ("[]", "one JSON object"), ("{}", "schema is missing"), ("", "empty"), ("{\"x\":\"y\"}", "no member 'x'"),
        ("{\"name\":1}", "name must be a string"), ("{\"name\":{\"a\":\"b\"}}", "name must be a string"),
        ("{\"weakKeys\":\"true\"}", "true or false"), ("{\"name\":\"a\",\"name\":\"a\"}", "twice"),
        ("{\"name\":[\"a\"]}", "name must be a string"), ("{\"name\":\"a\"", "ends too early"),
    ])
    func anInvalidProfileIsRefused(_ json: String, _ reason: String) throws {
        let error = #expect(throws: EvidenceError.self) { try Profile(json: Array(json.utf8)) }
        #expect(error?.code == .profile)
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }

    /// A valid profile with one member replaced or removed.
    @Test(
        arguments: [
            ("java-default", ProfileDocument.Member.schema, "evidence-profile-2"), ("java-default", .name, "Java"),
            ("java-default", .name, ""), ("java-default", .rsaPadding, "none"), ("java-default", .oaepHash, nil),
            ("zoloz", .oaepHash, "SHA-1"), ("java-default", .cipher, "aes-256-ctr"), ("java-default", .tag, "none"),
            ("zoloz", .tag, "appended"), ("zoloz", .iv, "zero"), ("java-default", .iv, "none"),
            ("java-default", .ivField, "Iv"), ("tencent-faceid", .ivField, nil),
            ("tencent-faceid", .ivField, "orderNo"), ("tencent-faceid", .ivField, "OrderNo"),
            ("tencent-faceid", .ivField, "userEncryptKey"), ("tencent-faceid", .ivField, "__proto__"),
            ("tencent-faceid", .ivField, "$ref"),
            ("tencent-faceid", .ivField, "a\"b"), ("zoloz", .aad, "evidence-v1"), ("zoloz", .encoding, "base32"),
            ("evidence-v1", .aad, "none"), ("evidence-v1", .weakKeys, "true"), ("zoloz", .weakKeys, "yes"),
            ("zoloz", .name, "evidence-v1"), ("zoloz", .wrappedKey, nil), ("zoloz", .oaepLabel, "x"),
            ("java-default", .oaepLabel, ""), ("java-default", .oaepLabel, String(repeating: "é", count: 33)),
            ("java-default", .padding, "zero"), ("zoloz", .nonceBytes, "16"), ("java-default", .nonceBytes, "7"),
            ("java-default", .nonceBytes, "129"), ("java-default", .nonceBytes, "016"),
            ("java-default", .weakKeyBytes, "32"), ("java-default", .weakKeyBytes, "0"), ("zoloz", .iv, "weak-key"),
            ("java-default", .ivFit, "fitted"), ("java-default", .ivEncoding, "hex"),
            ("java-default", .tagEncoding, "hex"), ("java-default", .keyEncoding, "text"), ("zoloz", .tag, "prefixed"),
            ("zoloz", .aad, "order-no"), ("java-default", .inner, "gzip"), ("evidence-v1", .aad, "order-no"),
            ("evidence-v1", .inner, "base64"), ("evidence-v1", .keyEncoding, "hex"), ("evidence-v1", .tag, "prefixed"),
            ("evidence-v1", .nonceBytes, "16"), ("evidence-v1", .rsaPadding, "weak-none"),
        ] as [(String, ProfileDocument.Member, String?)])
    func whatDoesNotGoTogetherIsRefused(
        _ name: String, _ member: ProfileDocument.Member, _ value: String?
    ) throws {
        var document = ProfileDocument(try #require(Profile.preset(named: name)))
        document[member] = value
        #expect(refusal { _ = try document.profile() } == .profile)
    }

    /// Payloads that independent code sealed, under every preset.
    @Test(arguments: try Vectors.cases("profiles")) func whatOthersSealedOpens(_ name: String) throws {
        let (header, payload) = try Vectors.readCase("profiles/\(name)")
        let key = try privateKey(#require(header["key"]))
        let word = try #require(header["profile"])
        let profile =
            try word.hasPrefix("{") ? Profile(json: Array(word.utf8)) : #require(Profile.preset(named: word))
        let opened = MemoryDestination()
        let iv = header["iv"].map { Array($0.utf8) }
        if let code = header["expect"] {
            let outcome = refusal {
                _ = try PayloadOpener([key], sealedAs: profile, iv: iv, accepting: .none).open(
                    from: MemorySource(payload), into: opened)
            }
            #expect(outcome?.name == code)
            return
        }
        _ = try PayloadOpener([key], sealedAs: profile, iv: iv, accepting: .none).open(
            from: MemorySource(payload), into: opened)
        #expect(try ContentDigest(of: MemorySource(opened.bytes)).hex == header["payload"])
    }

    /// Payloads that Java, Node and the openssl command sealed.
    @Test(arguments: try FileManager.default.contentsOfDirectory(atPath: Vectors.path("interop")).sorted())
    func whatOtherRuntimesSealedOpens(_ name: String) throws {
        let key = try privateKey("rsa2048.pem")
        let profileName = name.split(separator: "_").last.map { String($0.dropLast(5)) } ?? ""
        let profile = try #require(Profile.preset(named: profileName))
        let iv: [UInt8]? = profile.iv == .caller ? Array("0123456789abcdef".utf8) : nil
        let opened = MemoryDestination()
        _ = try PayloadOpener([key], sealedAs: profile, iv: iv, accepting: .none).open(
            from: MemorySource(Vectors.bytes("interop/\(name)")), into: opened)
        #expect(opened.bytes == (try Vectors.bytes("media/clip.mp4")))
    }

    /// What published answers and examples make in PHP, Node, Go, Java, Python and on the command line.
    @Test func whatGistsSealOpens() throws {
        let lines = String(decoding: try Vectors.bytes("gists/gists.ndjson"), as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 13)
        let key = try privateKey("rsa2048.pem")
        for line in lines {
            let gist = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let json = { (name: String) in Array(try JSONSerialization.data(withJSONObject: gist[name] ?? [:])) }
            let iv = (gist["iv"] as? String).map { Array($0.utf8) }
            let opened = MemoryDestination()
            _ = try PayloadOpener([key], sealedAs: Profile(json: json("profile")), iv: iv, accepting: .none).open(
                from: MemorySource(json("payload")), into: opened)
            #expect(opened.bytes == (try Vectors.bytes("media/clip.mp4")), "\(gist["name"] ?? "")")
        }
    }

    /// The published example: its content opens once its key is wrapped for a key of ours.
    @Test func thePublishedExampleOpens() throws {
        struct Example: Decodable {
            let key: String
            let iv: String
            let ciphertext: String
            let plaintext: String
        }
        let key = try privateKey("rsa1024.pem")
        let profile = try #require(Profile.preset(named: "tencent-faceid"))
        for example in try Vectors.tests("tencent-faceid.json", of: Example.self) {
            var secret = Array(example.key.utf8)
            let wrapped = try key.publicKey.wrap(AESKey(importing: SecretBytes(wiping: &secret)), as: profile.wrapping)
            let payload = """
                {"Iv":"\(example.iv)","videoEncryptAESKey":"\(Data(wrapped).base64EncodedString())",\
                "userVideoString":"\(example.ciphertext)"}
                """
            let opened = MemoryDestination()
            _ = try PayloadOpener([key], sealedAs: profile, accepting: .none).open(
                from: MemorySource(Array(payload.utf8)), into: opened)
            #expect(String(decoding: opened.bytes, as: UTF8.self) == example.plaintext)
        }
    }

    private static let paddings: [[ProfileDocument.Member: String]] = [
        [.rsaPadding: "pkcs1-v1.5"], [.rsaPadding: "oaep", .oaepHash: "SHA-1", .mgf1Hash: "SHA-1"],
        [.rsaPadding: "oaep", .oaepHash: "SHA-256", .mgf1Hash: "SHA-1"],
        [.rsaPadding: "oaep", .oaepHash: "SHA-512", .mgf1Hash: "SHA-384", .oaepLabel: "a label"],
    ]
    private static let contents: [[ProfileDocument.Member: String]] = [
        [.cipher: "aes-128-ecb", .iv: "none", .tag: "none"], [.cipher: "aes-192-cbc", .iv: "prefix", .tag: "none"],
        [.cipher: "aes-256-cbc", .iv: "zero", .tag: "none"], [.cipher: "aes-128-cbc", .iv: "caller", .tag: "none"],
        [.cipher: "aes-256-cbc", .iv: "field", .ivField: "Iv", .tag: "none"],
        [.cipher: "aes-128-gcm", .iv: "prefix", .tag: "appended"],
        [.cipher: "aes-192-gcm", .iv: "caller", .tag: "field", .tagField: "Tag"],
        [.cipher: "aes-256-gcm", .iv: "field", .ivField: "Iv", .tag: "field", .tagField: "Tag", .aad: "evidence-v1"],
        [.cipher: "aes-256-gcm", .iv: "zero", .tag: "appended"],
        [.cipher: "aes-128-gcm", .nonceBytes: "16", .iv: "prefix", .tag: "prefixed", .aad: "order-no"],
        [.cipher: "aes-256-gcm", .nonceBytes: "8", .iv: "wrapped", .tag: "prefixed", .keyEncoding: "hex"],
        [
            .cipher: "aes-256-gcm", .iv: "field", .ivField: "Iv", .ivEncoding: "text", .tag: "field", .tagField: "Tag",
            .tagEncoding: "hex-lines", .keyEncoding: "base64-url",
        ],
        [.cipher: "aes-256-ctr", .iv: "prefix", .tag: "none", .inner: "base64"],
        [.cipher: "aes-128-ctr", .iv: "caller", .ivFit: "fitted", .tag: "none", .weakKeyBytes: "10"],
        [.cipher: "aes-256-cbc", .iv: "weak-key", .tag: "none", .inner: "data-uri"],
        [.cipher: "aes-192-cbc", .padding: "zero", .iv: "wrapped", .tag: "none"],
        [.cipher: "aes-256-ecb", .padding: "none", .iv: "none", .tag: "none", .rsaPadding: "weak-none"],
    ]

    /// Every value of every axis at least once, over lengths at and around blocks and chunks.
    @Test(arguments: contents, ProfileDocument.choices(of: .encoding))
    func whatWasSealedComesBack(_ content: [ProfileDocument.Member: String], _ encoding: String) throws {
        let key = try privateKey("rsa2048.pem")
        let other = try privateKey("rsa3072.pem")
        var generator = SeededGenerator(seed: 6)
        for (i, form) in ProfileDocument.choices(of: .wrappedKey).enumerated() {
            var document = ProfileDocument(Profile.evidenceV1)
            for member in [ProfileDocument.Member.oaepHash, .mgf1Hash] { document[member] = nil }
            let axes = content.merging(Self.paddings[i]) { $1 }
            document[.aad] = "none"
            document[.name] = "test"
            document[.wrappedKey] = form
            document[.encoding] = encoding
            for (member, value) in axes { document[member] = value }
            if content[.rsaPadding] != nil { document[.rsaPadding] = content[.rsaPadding] }
            if document[.rsaPadding] != "oaep" {
                for member in [ProfileDocument.Member.oaepHash, .mgf1Hash, .oaepLabel] { document[member] = nil }
            }
            if i % 2 == 1, document[.cipher]?.hasSuffix("gcm") == true, document[.aad] == "none" {
                document[.aad] = "evidence-v1"
            }
            let profile = try document.profile()
            #expect(try Profile(json: Array(profile.json.utf8)) == profile)
            // One that is made as long as it has to be is longer, or shorter.
            let ivByteCount = profile.cipher.ivByteCount + (profile.ivFit == .fitted ? i - 2 : 0)
            let iv: [UInt8]? = profile.iv == .caller ? generator.bytes(ivByteCount) : nil
            let order = try OrderNumber("ord1")
            for count in [0, 1, 15, 16, 17, 56, 57] + (i == 0 ? [140_000] : []) {
                var video = generator.bytes(count)
                if profile.cipher.padding == .none, profile.cipher.blockByteCount > 1 {
                    video = Array(video.prefix(count / 16 * 16)) + (count < 16 ? generator.bytes(16) : [])
                }
                if profile.cipher.padding == .zero, video.last == 0 { video[count - 1] = 1 }
                let count = video.count
                let sealed = MemoryDestination()
                let sealer = try PayloadSealer(orderNo: order, to: key.publicKey, sealedAs: profile, iv: iv)
                try sealer.seal(MemorySource(video), into: sealed)
                for isPipe in [false, true] {
                    let source: any ByteSource = isPipe ? PipeSource(sealed.bytes) : MemorySource(sealed.bytes)
                    let payload = source
                    let opened = MemoryDestination()
                    let report = try PayloadOpener([key], sealedAs: profile, iv: iv, accepting: .none).open(
                        from: payload, into: opened)
                    #expect(opened.bytes == video)
                    #expect(report.byteCount == UInt64(count) && report.orderNo == order)
                    #expect(report.tag == profile.tagCoverage)
                    let isRefused = refusal { _ = try PayloadOpener([key], sealedAs: profile, iv: iv) } == .profile
                    #expect(isRefused == !profile.coversOrder)
                }
                guard count == 17 || count == 16 else { continue }
                let outcome = refusal {
                    _ = try PayloadOpener([other], sealedAs: profile, iv: iv, accepting: .none).open(
                        from: MemorySource(sealed.bytes), into: MemoryDestination())
                }
                #expect(outcome == .length)
                let anew = MemoryDestination()
                let rewrapping = refusal {
                    try PayloadOpener(key).rewrap(
                        of: order, from: MemorySource(sealed.bytes), to: other.publicKey, into: anew)
                }
                #expect((rewrapping == nil) == (profile == .evidenceV2) && anew.bytes.isEmpty == (rewrapping != nil))
            }
        }
    }

    /// What `zero` padding removes, and what `none` refuses.
    @Test func zeroBytesAtTheEndAreTakenForPadding() throws {
        let key = try privateKey("rsa2048.pem")
        let order = try OrderNumber("ord1")
        var document = ProfileDocument(try #require(Profile.preset(named: "zoloz")))
        document[.name] = "test"
        document[.padding] = "zero"
        let zero = try document.profile()
        for (video, wanted) in [
            ([1, 2, 0], [1, 2]), ([UInt8](repeating: 7, count: 16), [UInt8](repeating: 7, count: 16)),
            ([UInt8](repeating: 0, count: 16), []),
            ([UInt8](repeating: 0, count: 20), [UInt8](repeating: 0, count: 16)),
            ([], []),
        ] as [([UInt8], [UInt8])] {
            let sealed = MemoryDestination()
            try PayloadSealer(orderNo: order, to: key.publicKey, sealedAs: zero).seal(
                MemorySource(video), into: sealed)
            let opened = MemoryDestination()
            _ = try PayloadOpener([key], sealedAs: zero, accepting: .none).open(
                from: MemorySource(sealed.bytes), into: opened)
            #expect(opened.bytes == wanted)
        }
        document[.padding] = "none"
        let none = try document.profile()
        for count in [0, 15, 17] {
            let sealed = MemoryDestination()
            let outcome = refusal {
                try PayloadSealer(orderNo: order, to: key.publicKey, sealedAs: none)
                    .seal(MemorySource([UInt8](repeating: 1, count: count)), into: sealed)
            }
            #expect(outcome == .length && sealed.bytes.isEmpty)
        }
    }

    /// What is not encoded as the profile says is one failure without a tag, and said where the tag is right; nothing
    /// goes out before.
    @Test(arguments: ["aes-256-gcm", "aes-256-ctr", "aes-256-cbc"], ["base64", "data-uri"])
    func whatIsNotEncodedInsideIsRefused(_ cipher: String, _ inner: String) throws {
        let key = try privateKey("rsa2048.pem")
        var document = ProfileDocument(try #require(Profile.preset(named: "java-default")))
        document[.name] = "test"
        document[.cipher] = cipher
        if cipher != "aes-256-gcm" { document[.tag] = "none" }
        let plain = try document.profile()
        document[.inner] = inner
        let encoded = try document.profile()
        let contents = [
            "no base64", "data:video/mp4,AAAA", "data:;base64", "data:video/mp4;base64,AAA",
            "data:" + String(repeating: "x", count: 130) + ";base64,AAAA", "AAAA,", "AAAAA",
            String(repeating: "A", count: 400_001),
        ]
        for content in contents {
            let sealed = MemoryDestination()
            try PayloadSealer(orderNo: try OrderNumber("ord1"), to: key.publicKey, sealedAs: plain)
                .seal(MemorySource(Array(content.utf8)), into: sealed)
            let shown = StreamDestination()
            let outcome = refusal {
                _ = try PayloadOpener([key], sealedAs: encoded, accepting: .none).open(
                    from: MemorySource(sealed.bytes), into: shown)
            }
            #expect(outcome == (encoded.isAuthenticated ? .base64 : .cannotOpen), "\(content.prefix(40))")
            #expect(shown.bytes.isEmpty)
        }
    }

    /// Files that were written before there was a choice mean what they meant, and `zero` is what is `weak-zero` now.
    @Test func oldFilesStayValid() throws {
        let old = """
            {"schema": "evidence-profile-1", "name": "old", "rsaPadding": "oaep", "oaepHash": "SHA-1",
             "mgf1Hash": "SHA-1", "wrappedKey": "raw",
             "cipher": "aes-256-gcm", "iv": "zero", "tag": "appended", "aad": "none",
             "encoding": "hex"}
            """
        let profile = try Profile(json: Array(old.utf8))
        #expect(profile.iv == .weakZero && profile.cipher == .aesGCM() && profile.inner == .none)
        #expect(profile.encodings == Profile.Encodings(.hex) && profile.wrapping.ivByteCount == 0)
        #expect(profile.json.contains(#""iv": "weak-zero""#))
        #expect(ProfileDocument(profile)[.padding] == nil && ProfileDocument(profile)[.nonceBytes] == nil)
    }

    /// Under PKCS#1 v1.5 with CBC a wrong key and a changed wrapped key are one failure, and no byte goes to a
    /// destination that shows what it gets.
    @Test func withoutATagNothingGoesOutBeforeThePaddingIsRight() throws {
        let profile = try #require(Profile.preset(named: "wbface-simple"))
        let iv = Array("0123456789abcdef".utf8)
        let key = try privateKey("rsa1024.pem")
        let sealed = MemoryDestination()
        let order = try OrderNumber("ord1")
        try PayloadSealer(orderNo: order, to: key.publicKey, sealedAs: profile, iv: iv)
            .seal(MemorySource([UInt8](repeating: 7, count: 100_000)), into: sealed)
        let text = String(decoding: sealed.bytes, as: UTF8.self)
        var refusals = 0
        for place in 0..<24 {
            let wrapped = try #require(text.firstMatch(of: /"videoEncryptAESKey":"([^"]*)"/)).output.1
            let changed = String(wrapped.enumerated().map { $0 == 8 + place ? ($1 == "A" ? "B" : "A") : $1 })
            let shown = StreamDestination()
            let payload = MemorySource(Array(text.replacing(wrapped, with: changed).utf8))
            do {
                _ = try PayloadOpener([key], sealedAs: profile, iv: iv, accepting: .none).open(
                    from: payload, into: shown)
            } catch {
                #expect(error.code == .cannotOpen)
                #expect(shown.bytes.isEmpty)
                refusals += 1
            }
        }
        // One in 256 ends in what passes for padding.
        #expect(refusals >= 22)
    }

    /// Not the front of the right tag, either: fewer bytes are guessed sooner.
    @Test(arguments: [1, 12, 15, 17, 32]) func aTagInAFieldOfItsOwnHasItsWholeLength(byteCount: Int) throws {
        var document = ProfileDocument(try #require(Profile.preset(named: "java-default")))
        document[.name] = "test"
        document[.tag] = "field"
        document[.tagField] = "Tag"
        let outcome = try refusalOfChanged("Tag", sealedAs: document.profile()) { tag in
            #expect(tag.count == 16)
            return Data((tag + tag).prefix(byteCount))
        }
        #expect(outcome == .length)
    }

    /// An IV and seven blocks: in the last block, after the IV, and in it.
    @Test(arguments: [127, 120, 113, 16, 15, 1]) func contentOfCBCThatWasCutOffIsOfAWrongLength(byteCount: Int) throws {
        var document = ProfileDocument(try #require(Profile.preset(named: "java-default")))
        document[.name] = "test"
        document[.cipher] = "aes-256-cbc"
        document[.tag] = "none"
        let outcome = try refusalOfChanged("userVideoString", sealedAs: document.profile()) { content in
            #expect(content.count == 128)
            return content.prefix(byteCount)
        }
        #expect(outcome == .length)
    }

    /// What comes of a payload of which one field was decoded, changed and encoded again.
    private func refusalOfChanged(
        _ field: String, sealedAs profile: Profile, _ change: (Data) -> Data
    ) throws -> EvidenceError.Code? {
        let key = try privateKey("rsa2048.pem")
        let sealed = MemoryDestination()
        try PayloadSealer(orderNo: OrderNumber("ord1"), to: key.publicKey, sealedAs: profile)
            .seal(MemorySource([UInt8](repeating: 7, count: 100)), into: sealed)
        var members = try #require(
            try JSONSerialization.jsonObject(with: Data(sealed.bytes)) as? [String: String])
        let bytes = try #require(Data(base64Encoded: members[field] ?? ""))
        members[field] = change(bytes).base64EncodedString()
        let changed = try JSONSerialization.data(withJSONObject: members)
        return refusal {
            _ = try PayloadOpener([key], sealedAs: profile, accepting: .none).open(
                from: MemorySource(changed), into: MemoryDestination())
        }
    }

    @Test func theIVIsAskedForAndItsLengthIsChecked() throws {
        let key = try privateKey("rsa2048.pem")
        let order = try OrderNumber("ord1")
        let profile = try #require(Profile.preset(named: "wbface-simple"))
        for (iv, hint) in [
            (nil, "configuration of the app"), ("AAAAAAAAAAAAAAAAAAAAAA==", "looks like base64"),
            ("00000000000000000000000000000000", "looks like hex"), ("0123456789ab", "for GCM"),
        ] as [(String?, String)] {
            let error = #expect(throws: EvidenceError.self) {
                _ = try PayloadSealer(
                    orderNo: order, to: key.publicKey, sealedAs: profile, iv: iv.map { Array($0.utf8) })
            }
            #expect(error?.code == (iv == nil ? .iv : .profile))
            #expect(error?.hint?.contains(hint) == true, "\(error?.hint ?? "")")
        }
        let outcome = refusal {
            _ = try PayloadSealer(orderNo: order, to: key.publicKey, sealedAs: .evidenceV1, iv: [1])
        }
        #expect(outcome == .profile)
    }

    @Test func weakKeysAreForProfilesThatSaySo() throws {
        let order = try OrderNumber("ord1")
        for name in ["rsa1024", "rsa2048-e3"] {
            let key = try privateKey("\(name).pem")
            for profile in Profile.presets {
                let iv: [UInt8]? = profile.iv == .caller ? [UInt8](repeating: 0, count: 16) : nil
                let outcome = refusal {
                    _ = try PayloadSealer(orderNo: order, to: key.publicKey, sealedAs: profile, iv: iv)
                }
                #expect(outcome == (profile.wrapping.allowsWeakKeys ? nil : .weakKey))
            }
        }
    }
}

/// The code of the refusal, or `nil` where there was none.
private func refusal(_ body: () throws -> Void) -> EvidenceError.Code? {
    do { try body() } catch { return (error as? EvidenceError)?.code }
    return nil
}
