// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import EvidenceKit
import EvidencePayload
import Foundation
import TestVectorSupport
import Testing

/// What a program of another package gets and passes as JSON: `docs/JSON.md`.
@Suite struct JSONTests {
    private func object(_ json: String) throws -> [String: Any] {
        #expect(json.hasSuffix("}\n") && json.dropLast().allSatisfy { !$0.isNewline })
        return try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    }

    private func failure(_ body: () throws -> Void) -> EvidenceError? {
        #expect(throws: EvidenceError.self, performing: body)
    }

    // MARK: - Errors

    @Test func anErrorHasItsCodeAndDetails() throws {
        let bare = try object(EvidenceError(.otherOrder, "another \"order\"\u{1B}[2J").json)
        #expect(bare["code"] as? String == "other-order" && bare["number"] as? Int == 308)
        // Nothing that steers a terminal.
        #expect(bare["title"] as? String == "another \"order\"?[2J" && bare.count == 3)
        let full = try object(EvidenceError(.exists, stream: "x", errno: 17).json)
        #expect(full["errno"] as? Int == 17 && (full["hint"] as? String)?.isEmpty == false)
    }

    // MARK: - Options

    @Test func optionsAreReadStrictly() throws {
        let text =
            #"{"order":"ord1","count":12,"on":true,"values":{"a":"1","b":"\u00e9\n"},"items":["x","y"],"none":{}}"#
        let known = ["order", "count", "on", "values", "items", "none"]
        let options = try JSONMembers(Array(text.utf8), knowing: known)
        #expect(try options.text("order") == "ord1" && options.text("absent") == nil)
        #expect(try options.integer("count") == 12 && options.bool("on") == true)
        #expect(try options.texts("values")?.map(\.value) == ["1", "é\n"] && options.texts("none")?.isEmpty == true)
        #expect(try options.list("items") == ["x", "y"])
        for name in known {
            // Each of them is one thing and nothing else.
            let readers: [() throws -> Bool] = [
                { try options.text(name) != nil }, { try options.integer(name) != nil },
                { try options.bool(name) != nil }, { try options.texts(name) != nil },
                { try options.list(name) != nil },
            ]
            #expect(readers.filter { (try? $0()) ?? false }.count == 1, "\(name)")
        }
        #expect(failure { _ = try options.integer("order") }?.code == .type)
        #expect(failure { _ = try JSONMembers(Array(text.utf8), knowing: ["order"]) }?.code == .unknownMember)
    }

    @Test(arguments: [
        ("", EvidenceError.Code.json), ("[]", .json), ("\"x\"", .json), ("{}{}", .json), ("{\"a\":1,\"a\":2}", .json),
        ("{\"a\":{\"b\":\"1\",\"b\":\"2\"}}", .json), ("{\"a\":\"\u{0}\"}", .json), ("{\"a\":", .json),
        ("{\"a\":" + String(repeating: "[", count: 65), .limit), ("{\"\":1}", .unknownMember),
        // A long s is not an s.
        ("{\"o\u{17F}\":1}", .unknownMember),
    ]) func whatIsNoSuchObjectIsRefused(_ json: String, _ code: EvidenceError.Code) {
        #expect(failure { _ = try JSONMembers(Array(json.utf8), knowing: ["a", "os"]) }?.code == code)
    }

    @Test(arguments: ["-1", "1.0", "1e3", "-0", "99999999999999999999", "\"1\"", "true", "null", "[1]", "{}"])
    func anIntegerIsDigitsAlone(_ value: String) throws {
        let options = try JSONMembers(Array("{\"n\":\(value)}".utf8), knowing: ["n"])
        #expect(failure { _ = try options.integer("n") }?.code == .type)
    }

    @Test(arguments: [
        #"{"v":{"a":1}}"#, #"{"v":{"a":{}}}"#, #"{"v":{"a":"1","b":null}}"#, #"{"v":[{"a":"1"}]}"#, #"{"v":"x"}"#,
    ])
    func anObjectOfStringsHasNothingElse(_ json: String) throws {
        let options = try JSONMembers(Array(json.utf8), knowing: ["v"])
        #expect(failure { _ = try options.texts("v") }?.code == .type)
        #expect(failure { _ = try options.list("v") }?.code == .type)
    }

    // MARK: - Signs

    @Test func valuesComeOutOfAnObject() throws {
        let recipe = try SignRecipe(named: "front-end-result")
        let ticket = try Ticket(.sign, SecretBytes(copying: Array(String(repeating: "Ab", count: 32).utf8).span))
        let json = #"{"appId":"appId001","orderNo":"test1480921551481","code":"0"}"#
        let input = try SignInput(recipe, json: Array(json.utf8))
        let named = try SignInput(
            recipe,
            [("appId", "appId001"), ("orderNo", "test1480921551481"), ("code", "0")].map {
                SignAssignment(name: $0.0, value: $0.1)
            })
        let sign = try input.sign(with: ticket)
        #expect(try sign == named.sign(with: ticket))
        let report = try object(input.json(of: sign))
        #expect(report["schema"] as? String == "evidence-sign-1" && report["sign"] as? String == "\(sign)")
        let valid = try object(input.json(of: input.verify(sign, with: [ticket])))
        #expect(valid["valid"] as? Bool == true && valid["ticket"] as? Int == 0)
        let wrong = try object(input.json(of: input.verify(String(repeating: "0", count: 40), with: [ticket])))
        #expect(wrong["valid"] as? Bool == false && wrong["ticket"] is NSNull)
        #expect((wrong["reasons"] as? [[String: String]])?.map { $0["name"] } == ["mismatch"])
        for (bad, code) in [
            (#"{"appId":1}"#, EvidenceError.Code.type), (#"{"ticket":"hushhush"}"#, .unknownParameter),
            (#"{"appId":"a","app_id":"b"}"#, .duplicateParameter), ("[]", .json),
        ] {
            let error = failure { _ = try SignInput(recipe, json: Array(bad.utf8)) }
            #expect(error?.code == code, "\(bad)")
            #expect(error.map { "\($0)" }?.contains("hushhush") == false)
        }
    }

    // MARK: - Documents

    /// The same, however the document arrives.
    @Test func anInspectionIsAValue() throws {
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: Vectors.path("results/sdk_passed.json"))))
        let whole = try DocumentInspection(of: MemorySource(bytes))
        let receiver = DocumentInspection.Receiver()
        for byte in bytes { try receiver.append([byte].span) }
        #expect(try receiver.finish().json == whole.json)
        let report = try object(whole.json)
        #expect(report["schema"] as? String == "evidence-inspection-1" && report["claims"] as? String == "passed")
        #expect(whole.order == nil)
        let order = try #require(whole.document.orderNo)
        #expect(try DocumentInspection(of: MemorySource(bytes), expecting: order).order == .passed)
        #expect(try DocumentInspection(of: MemorySource(bytes), expecting: OrderNumber("x")).order == .otherOrder)
        // What to do next is said without any command.
        #expect(!whole.json.contains("evidence-tool") && !whole.json.contains(" --"))
    }

    // MARK: - Openings

    @Test func anOpeningIsHeldUntilItIsProved() throws {
        let key = try RSAPrivateKey(contentsOf: Vectors.path("keys/rsa2048.pem"))
        let other = try RSAPrivateKey.generate(bitCount: 2048)
        var generator = SeededGenerator(seed: 18)
        let order = try OrderNumber("ord1")
        for count in [0, 1, 300_000] {
            let video = generator.bytes(count)
            let payload = MemoryDestination()
            try PayloadSealer(orderNo: order, to: key.publicKey).seal(MemorySource(video), into: payload)
            for memoryLimit in [0, 1 << 20] {
                let held = try HeldContent(memoryLimit: memoryLimit)
                let receiver = PayloadOpener([other, key]).receiver(of: order, into: held)
                for start in stride(from: 0, to: payload.bytes.count, by: 10_000) {
                    try receiver.append(payload.bytes[start..<min(start + 10_000, payload.bytes.count)].span)
                }
                var bytes: [UInt8] = []
                #expect(try held.read(10, to: &bytes) == 0 && held.digest == nil && held.size == nil)
                let report = try object(receiver.finish().json)
                #expect(report["schema"] as? String == "evidence-opening-1" && report["tag"] as? String == "order")
                #expect(report["order"] as? String == "ord1" && report["byteCount"] as? Int == count)
                while try held.read(70_000, to: &bytes) > 0 {}
                #expect(bytes == video && held.size == UInt64(count))
                #expect(try held.digest == ContentDigest(of: MemorySource(video)))
                held.abandon()
                held.seek(to: 0)
                var again: [UInt8] = []
                while try held.read(70_000, to: &again) > 0 {}
                #expect(again == video)
                #expect(failure { try held.write([1].span) }?.code == .spent)
            }
            // What is not proven is never there.
            var changed = payload.bytes
            changed[changed.count - 6] ^= 1
            let held = try HeldContent(memoryLimit: 0)
            let receiver = PayloadOpener(key).receiver(of: order, into: held)
            #expect(
                failure {
                    try receiver.append(changed.span)
                    _ = try receiver.finish()
                } != nil)
            var bytes: [UInt8] = []
            #expect(try held.read(10, to: &bytes) == 0 && held.digest == nil)
        }
    }
}
