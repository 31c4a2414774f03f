// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import Foundation
import TestVectorSupport
import Testing
import VendorSigning
import VendorTypes

/// The files of `TestVectors/sign`, but for the mistakes.
@Suite struct SignVectorTests {
    struct Example: Decodable {
        struct Corrected: Decodable {
            let values: [String: String]
        }
        let id: String
        let recipe: String
        let sources: [String]
        let ticketKind: String
        let values: [String: String]
        let ticket: String
        let sign: String
        let consistent: Bool
        let corrected: Corrected?
    }

    @Test func publishedExamplesMatchAndTheTwoWrongOnesOnlyAsCorrected() throws {
        let examples: [Example] = try Vectors.tests("sign/examples.json")
        #expect(examples.count == 17)
        #expect(examples.filter { !$0.consistent }.count == 2)
        for example in examples {
            let kind = try #require(Ticket.Kind(rawValue: example.ticketKind))
            let ticket = try Ticket(kind, example.ticket)
            let input = try SignInput(recipe: example.recipe, values: example.values)
            #expect(input.recipe.ticketKind == kind, "\(example.id)")
            #expect(!Set(input.recipe.sources).isDisjoint(with: example.sources), "\(example.id)")
            let expected = try Sign(hex: example.sign)
            #expect(try input.verify(example.sign, with: [ticket]).isValid == example.consistent, "\(example.id)")
            #expect((try input.sign(with: ticket) == expected) == example.consistent, "\(example.id)")
            #expect(input.recipe.hasPublishedExample == example.consistent, "\(example.id)")
            if let corrected = example.corrected {
                let input = try SignInput(recipe: example.recipe, values: corrected.values)
                #expect(try input.verify(example.sign, with: [ticket]).isValid, "\(example.id)")
                #expect(try input.sign(with: Ticket(kind, example.ticket)).description == example.sign, "\(example.id)")
            }
        }
        let withExample = Set(SignRecipe.all.filter(\.hasPublishedExample).map(\.name))
        #expect(withExample == Set(examples.filter(\.consistent).map(\.recipe)))
    }

    struct Ordered: Decodable {
        let comment: String
        let values: [String]
        let ticket: String
        let sign: String
    }

    @Test func valuesAreInTheOrderOfUTF16CodeUnits() throws {
        let tests: [Ordered] = try Vectors.tests("sign/order.json")
        #expect(tests.count == 13)
        for test in tests {
            let ticket = try Ticket(.sign, test.ticket)
            #expect(try Sign(ofValues: test.values, ticket: ticket).description == test.sign, "\(test.comment)")
            let reversed = try Sign(ofValues: test.values.reversed(), ticket: ticket)
            #expect(reversed.description == test.sign, "\(test.comment)")
            #expect(
                try Sign(ofValues: test.values + [nil, nil], ticket: ticket).description == test.sign, "\(test.comment)"
            )
        }
    }

    @Test func randomUnicodeIsInJavasOrder() throws {
        let text = String(decoding: try Vectors.bytes("sign/random-order.txt"), as: UTF8.self)
        let lines = text.split(separator: "\n")
        #expect(lines.count == 600)
        for (number, line) in lines.enumerated() {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            let values = try fields[1].split(separator: ",", omittingEmptySubsequences: false).map { hex in
                let bytes = try Hex.decode(Array(hex.utf8).span)
                return try #require(String(validating: bytes, as: UTF8.self))
            }
            let sign = try Sign(ofValues: values, ticket: try Ticket(.sign, String(fields[0])))
            #expect(sign.description == fields[2], "line \(number + 1)")
        }
    }

    struct Reading: Decodable {
        let recipe: String
        let values: [String: String]
        let ticket: String
        let sign: String
        let hasOther: Bool
    }

    @Test func otherReadingsAreThoseThatBruteForceFinds() throws {
        let tests: [Reading] = try Vectors.tests("sign/readings.json")
        #expect(tests.count == 302)
        for (number, test) in tests.enumerated() {
            let input = try SignInput(recipe: test.recipe, values: test.values)
            let result = try input.verify(test.sign, with: [try Ticket(input.recipe.ticketKind, test.ticket)])
            guard case .valid(let acceptance) = result else {
                Issue.record("\(number): \(result)")
                continue
            }
            #expect(acceptance.warnings.contains { $0.code == .otherReading } == test.hasOther, "\(number)")
            #expect(!acceptance.warnings.contains { $0.code == .otherReadingNotRuledOut }, "\(number)")
        }
    }

    /// The zeros at the end of the name could be parts of order and user, too, in half a million ways that come to
    /// nothing later.
    @Test func aSearchThatGivesUpSaysSo() throws {
        let ticket = try Ticket(.sign, String(repeating: "z", count: 64))
        let values = [
            "appId": "IDAXXXXX", "orderNo": "A1", "userId": "u1", "name": "!" + String(repeating: "0", count: 1_023),
            "idNo": String(repeating: "~", count: 500),
        ]
        let input = try SignInput(recipe: "get-h5-face-id", values: values)
        guard case .valid(let acceptance) = try input.verify(input.sign(with: ticket).description, with: [ticket])
        else {
            Issue.record("its own sign is not valid")
            return
        }
        #expect(acceptance.warnings.map(\.code) == [.otherReadingNotRuledOut])
    }

    @Test func theDocumentedCollisionIsValidTwiceAndWarnedOf() throws {
        let ticket = try Ticket(.sign, launchTicket)
        let rejected = SignRecipe.frontEndResult(
            appId: "IDAXXXXX", orderNo: "0A2024112100000000000001", code: "66660004")
        let passed = SignRecipe.frontEndResult(
            appId: "IDAXXXXX", orderNo: "A202411210000000000000166660004", code: "0")
        let sign = try rejected.sign(with: ticket)
        #expect(try passed.sign(with: ticket) == sign)
        for input in [rejected, passed] {
            guard case .valid(let acceptance) = try input.verify(sign, with: [ticket]) else {
                Issue.record("a warning is no rejection")
                continue
            }
            let warning = try #require(acceptance.warnings.first)
            #expect(warning.code == .otherReading)
            #expect(warning.parameters == [.orderNo, .code])
        }
        // A caller that expects the rejected scan's order is not deceived by the other.
        let callback = try UnverifiedCallback(
            query: "code=0&orderNo=A202411210000000000000166660004&h5faceId=x&newSignature=\(sign)")
        let user = try UserId("u1")
        let expected = FaceAttempt(
            appId: try AppId("IDAXXXXX"), userId: user, orderNo: try OrderNumber("0A2024112100000000000001"))
        guard case .invalid(let rejection) = try callback.verify(of: expected, for: user, with: [ticket]) else {
            Issue.record("another order was accepted")
            return
        }
        #expect(rejection.reasons.map(\.code) == [.order])
    }
}
