// SPDX-License-Identifier: Apache-2.0
import EvidenceErrors
import EvidenceStreams
import Foundation
import SuperID
import TestVectorSupport
import Testing
import VendorDocuments
import VendorResults
import VendorTypes

/// Every document in `TestVectors/results`, against what `index.json` says about it.
@Suite struct ResultVectorTests {
    static let index = (try? ResultVectors.index()) ?? ResultVectors(read: [:], refused: [:])

    @Test func thereAreVectors() throws {
        let index = try ResultVectors.index()
        #expect(index.read.count > 30)
        #expect(index.refused.count > 20)
        let files = try FileManager.default.contentsOfDirectory(atPath: Vectors.path("results"))
        let names = Set(files.filter { $0.hasSuffix(".json") && $0 != "index.json" }.map { String($0.dropLast(5)) })
        #expect(names == Set(index.read.keys).union(index.refused.keys))
    }

    @Test(arguments: index.read.keys.sorted()) func documentIsRead(_ name: String) throws {
        let expected = try #require(Self.index.read[name])
        let bytes = try Vectors.bytes("results/\(name).json")
        let document = try FaceDocument(reading: MemorySource(bytes))
        #expect(document.repairs.map(\.path) == expected.repairs)
        #expect(document.byteCount == UInt64(bytes.count))
        #expect(document.fields.reduce(document.structureByteCount) { $0 + $1.byteCount } == UInt64(bytes.count))

        switch document.kind {
        case .verifyResult(let unverified):
            #expect(expected.kind == "verifyResult")
            #expect(try UnverifiedFaceVerifyResult(reading: MemorySource(bytes)) == unverified)
            check(unverified, expected)
        case .recordAnswer(let answer):
            #expect(expected.kind == "recordAnswer")
            #expect(try FaceRecordAnswer(reading: MemorySource(bytes)) == answer)
            #expect(try answer.isPass(of: OrderNumber("ord1")) == expected.success)
            #expect(try !answer.isPass(of: OrderNumber("ord2")))
            #expect(answer.code == expected.code)
            #expect(answer.orderNo?.value == expected.orderNo)
            #expect(answer.liveRate.text == expected.liveRate)
            #expect(answer.similarity.text == expected.similarity)
            #expect(answer.meanings.isEmpty == (answer.code == "0" && !answer.isVerification))
        case .simpleModeResult: #expect(expected.kind == "simpleModeResult")
        case .error(let error):
            #expect(expected.kind == "error")
            #expect(!error.meanings.isEmpty)
        case .superID(let info):
            #expect(expected.kind == "superID")
            #expect(info.features?.lint() ?? [] == [])
        }
    }

    /// What needs a repair is refused in strict reading, with the place of the first one; the rest reads the same.
    @Test(arguments: index.read.keys.sorted()) func strictReadingRefusesRepairs(_ name: String) throws {
        let bytes = try Vectors.bytes("results/\(name).json")
        let tolerant = try FaceDocument(reading: MemorySource(bytes))
        guard let first = tolerant.repairs.first else {
            #expect(try FaceDocument(reading: MemorySource(bytes), .strict) == tolerant)
            return
        }
        let error = #expect(throws: EvidenceError.self) { try FaceDocument(reading: MemorySource(bytes), .strict) }
        #expect(error?.code == .repair)
        #expect(error?.path == first.path)
        #expect(error?.offset == first.offset)
    }

    @Test(arguments: index.refused.keys.sorted()) func documentIsRefused(_ name: String) throws {
        let expected = try #require(Self.index.refused[name])
        let bytes = try Vectors.bytes("results/\(name).json")
        let error = #expect(throws: EvidenceError.self) { try FaceDocument(reading: MemorySource(bytes)) }
        #expect(error?.code == expected.errorCode)
        if let path = expected.path { #expect(error?.path == path) }
        if let offset = expected.offset { #expect(error?.offset == offset) }
    }

    /// `TestVectors/identify/answers.json`: what makes an answer with the code 0 a pass, or none.
    @Test func anAnswerIsAPassOnlyToEveryReader() throws {
        let file = try JSONDecoder().decode(AnswerVectors.self, from: Data(Vectors.bytes("identify/answers.json")))
        #expect(file.tests.count == 52)
        for vector in file.tests {
            let source = MemorySource(Array(vector.body.utf8))
            let isPass = try FaceRecordAnswer(reading: source).isPass(of: OrderNumber("12345678901234567890"))
            #expect(isPass == vector.isPass, "\(vector.body)")
        }
    }

    private struct AnswerVectors: Decodable {
        let tests: [Vector]

        struct Vector: Decodable {
            let body: String
            let isPass: Bool
        }
    }

    private func check(_ unverified: UnverifiedFaceVerifyResult, _ expected: ResultVectors.Reading) {
        #expect(unverified.claimsSuccess == expected.success)
        #expect(unverified.claimedOrderNo?.value == expected.orderNo)
        let result = unverified.withoutCheckingSign
        switch result.outcome {
        case .passed(let passed):
            #expect(passed.sign == expected.sign)
            #expect(FaceScore(passed.liveRate.text ?? "") == FaceScore(expected.liveRate ?? ""))
            #expect(FaceScore(passed.similarity.text ?? "") == FaceScore(expected.similarity ?? ""))
        case .failed(let error):
            #expect(error.domain?.rawValue == expected.domain)
            #expect(error.code == expected.code)
            #expect(error.canQueryServer == expected.canQueryServer)
        }
        if let tags = expected.deviceTags { #expect(result.riskInfo?.deviceTags == tags) }
    }
}

/// `TestVectors/results/index.json`.
struct ResultVectors: Decodable {
    struct Reading: Decodable {
        let kind: String
        let success: Bool?
        let orderNo, sign, liveRate, similarity, domain, code: String?
        let canQueryServer: Bool?
        let deviceTags: [String]?
        let repairs: [String]
    }

    struct Refusal: Decodable {
        let code: String
        let path: String?
        let offset: UInt64?

        var errorCode: EvidenceError.Code? {
            [
                "json": .json, "limit": .limit, "type": .type, "missing": .missing, "contradiction": .ambiguous,
                "unknownDocument": .unknownDocument,
            ][code]
        }
    }

    let read: [String: Reading]
    let refused: [String: Refusal]

    static func index() throws -> ResultVectors {
        try JSONDecoder().decode(ResultVectors.self, from: Data(Vectors.bytes("results/index.json")))
    }
}
