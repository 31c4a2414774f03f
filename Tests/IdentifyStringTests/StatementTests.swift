// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import EvidencePayload
import Foundation
import IdentifyString
import TestVectorSupport
import Testing
import VendorResults

/// Statements as independent Python makes and refuses them.
@Suite struct StatementTests {
    private struct Vector: Decodable, Sendable {
        let comment: String
        let bytes: HexBytes
        let expect: String
    }

    private struct Fields: Decodable {
        let appId: String
        let capturedAt: String
        let nonce: String
        let orderNo: String
        let userId: String
        let videoSHA256: String
        let videoSize: UInt64
        let imageSHA256: String?
        let imageSize: UInt64?
        let liveRate: String?
        let similarity: String?
        let riskInfo: WBFaceRiskInfo?
    }

    @Test func vectorsComeOutAsRecorded() throws {
        let vectors: [Vector] = try Vectors.tests("identify/statements.json")
        #expect(vectors.count >= 320)
        for vector in vectors {
            let bytes = vector.bytes.bytes
            guard vector.expect == "success" else {
                let error = #expect(throws: EvidenceError.self, "\(vector.comment)") {
                    try IdentifyStatement(json: bytes.span)
                }
                #expect(error?.code == .statement, "\(vector.comment)")
                continue
            }
            let statement = try IdentifyStatement(json: bytes.span)
            #expect(statement.json == bytes, "\(vector.comment)")
            // What it says is what Foundation reads in it.
            let fields = try JSONDecoder().decode(Fields.self, from: Data(bytes))
            #expect(statement.appId.utf8.elementsEqual(fields.appId.utf8))
            #expect(statement.userId.utf8.elementsEqual(fields.userId.utf8))
            #expect(statement.orderNo.value == fields.orderNo)
            #expect("\(statement.capturedAt)" == fields.capturedAt)
            #expect(statement.nonce.value == fields.nonce)
            #expect(statement.video.hex == fields.videoSHA256 && statement.video.byteCount == fields.videoSize)
            #expect(statement.photo?.hex == fields.imageSHA256 && statement.photo?.byteCount == fields.imageSize)
            #expect(statement.liveRate == fields.liveRate && statement.similarity == fields.similarity)
            #expect(statement.riskInfo == fields.riskInfo)
        }
    }

    /// Any text a user can have comes back as it was.
    @Test func anyTextComesBack() throws {
        var generator = SeededGenerator(seed: 8785)
        for _ in 0..<300 {
            let statement = try IdentifyStatement(
                appId: generator.text(1...40), userId: generator.text(1...200),
                orderNo: OrderNumber("ord1"),
                capturedAt: #require(
                    UTCTime(millisecondsSince1970: .random(in: -62e12.integer...253e12.integer, using: &generator))),
                nonce: .generate(), video: ContentDigest(of: MemorySource(generator.bytes(10))),
                photo: Bool.random(using: &generator) ? ContentDigest(of: MemorySource([])) : nil
            ).rated(
                liveRate: Bool.random(using: &generator) ? generator.text(0...20) : nil, similarity: nil,
                riskInfo: WBFaceRiskInfo(deviceInfoTag: Bool.random(using: &generator) ? generator.text(0...9) : nil))
            let json = statement.json
            let read = try IdentifyStatement(json: json.span)
            #expect(read == statement)
            #expect(read.userId.utf8.elementsEqual(statement.userId.utf8))
            // Foundation reads the same.
            let fields = try JSONDecoder().decode(Fields.self, from: Data(json))
            #expect(fields.userId.unicodeScalars.elementsEqual(statement.userId.unicodeScalars))
        }
    }

    @Test func aTextThatDoesNotFitIsRefused() throws {
        let order = try OrderNumber("ord1")
        let now = try #require(UTCTime(millisecondsSince1970: 0))
        let video = try ContentDigest(of: MemorySource([]))
        for user in ["", String(repeating: "ü", count: 513)] {
            let error = #expect(throws: EvidenceError.self) {
                try IdentifyStatement(
                    appId: "a", userId: user, orderNo: order, capturedAt: now, nonce: .generate(), video: video)
            }
            #expect(error?.code == .value)
        }
    }
}

extension Double {
    fileprivate var integer: Int64 { Int64(self) }
}

extension SeededGenerator {
    /// Text of any scalars there are, controls and the rare planes included.
    fileprivate mutating func text(_ counts: ClosedRange<Int>) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: counts, using: &self) {
            let top: UInt32 = [0x7F, 0x7FF, 0xFFFF, 0x10FFFF][Int.random(in: 0..<4, using: &self)]
            if let scalar = Unicode.Scalar(UInt32.random(in: 0...top, using: &self)) { text.append(scalar) }
        }
        return text.isEmpty && counts.lowerBound > 0 ? "x" : String(text)
    }
}
