// SPDX-License-Identifier: Apache-2.0
import EvidenceErrors
import TestVectorSupport
import Testing
import VendorSigning
import VendorTypes

/// Recipes, values and their rules.
@Suite struct SignInputTests {
    @Test func everyRecipeIsListedOnce() throws {
        #expect(
            SignRecipe.all.map(\.name) == [
                "sdk-launch", "get-face-id", "get-adv-face-id", "get-plus-face-id", "get-will-face-id",
                "get-h5-face-id", "get-h5-face-id-of-photo",
                "h5-launch", "query-face-record", "query-photo", "will-result", "nfc-cert", "easy-face", "id-card",
                "ocr-launch", "ocr-result", "front-end-result", "ocr-front-end-result",
            ])
        for recipe in SignRecipe.all {
            #expect(try SignRecipe(named: recipe.name) == recipe)
            #expect(!recipe.sources.isEmpty)
            #expect(Set(recipe.parameters).count == recipe.parameters.count)
        }
        let inferred = SignRecipe.all.filter { $0.publication == .inferred }.map(\.name)
        #expect(inferred == ["get-adv-face-id", "get-h5-face-id-of-photo"])
        #expect(throws: EvidenceError.self) { try SignRecipe(named: "SDK-launch") }
    }

    @Test func theTypedFormsHaveTheirValues() throws {
        let inputs = [
            SignRecipe.sdkLaunch(appId: "a", userId: "u", nonce: "n"),
            SignRecipe.h5Launch(appId: "a", userId: "u", orderNo: "o", h5faceId: "h", nonce: "n"),
            SignRecipe.frontEndResult(appId: "a", orderNo: "o", code: "c"),
        ]
        let values: [SignParameter: String] = [
            .appId: "a", .userId: "u", .orderNo: "o", .version: "1.0.0", .nonce: "n", .h5faceId: "h", .code: "c",
        ]
        for input in inputs {
            for parameter in input.recipe.parameters {
                #expect(input[parameter] == values[parameter], "\(input.recipe.name) \(parameter)")
            }
            #expect(input.violations.allSatisfy { !$0.isMissing })
        }
    }

    @Test(arguments: [
        ("wbappid", SignParameter.appId), ("WBappid", .appId), ("app_id", .appId), ("APPID", .appId),
        ("nonceStr", .nonce), ("order_no", .orderNo), ("orderno", .orderNo), ("user_id", .userId),
        ("faceId", .h5faceId),
        ("h5faceId", .h5faceId), ("version", .version), ("idNo", .idNo), ("name", .name), ("code", .code),
    ])
    func aliases(name: String, parameter: SignParameter) {
        #expect(SignParameter(named: name) == parameter)
    }

    @Test func namesAreNotFoundByLikeness() {
        // U+212A is a Kelvin sign, U+0131 a dotless i.
        for name in ["ticket", "", "appıd", "app-id", " code", "code\u{301}"] {
            #expect(SignParameter(named: name) == nil, "\(name)")
        }
    }

    @Test func assignments() throws {
        let parsed = try SignAssignment(parsing: "name=a=b=")
        #expect(parsed == SignAssignment(name: "name", value: "a=b="))
        #expect(try SignAssignment(parsing: "name=").value == "")
        for text in ["", "=", "=value", "name"] {
            #expect(throws: EvidenceError.self) { try SignAssignment(parsing: text) }
        }
        let order = try SignRecipe(named: "query-photo")
        let unknown = #expect(throws: EvidenceError.self) {
            try SignInput(order, [SignAssignment(name: "userId", value: "u")])
        }
        #expect(unknown?.code == .unknownParameter)
        #expect(unknown?.description.contains("does not sign userId") == true)
        let secret = #expect(throws: EvidenceError.self) {
            try SignInput(order, [SignAssignment(name: "Tr0ub4dor", value: "3")])
        }
        #expect(secret?.code == .unknownParameter && secret?.description.contains("Tr0ub4dor") == false)
        #expect(unknown?.hint == "it signs appId, orderNo, version, nonce")
        let twice = #expect(throws: EvidenceError.self) {
            try SignInput(
                order, [SignAssignment(name: "orderNo", value: "1"), SignAssignment(name: "order_no", value: "1")])
        }
        #expect(twice?.code == .duplicateParameter)
    }

    @Test func everyViolationIsNamedAndNoValueShown() throws {
        let input = try SignInput(
            SignRecipe(named: "h5-launch"),
            [SignAssignment(name: "nonce", value: "tooShort"), SignAssignment(name: "userId", value: "張三")])
        #expect(
            Set(input.violations.map(\.description)) == [
                "appId is missing", "userId must be 1 to 32 ASCII letters, digits, '-' or '_'", "orderNo is missing",
                "h5faceId is missing", "nonce must be exactly 32 ASCII letters or digits",
            ])
        let ticket = try Ticket(.nonce, launchTicket)
        let error = #expect(throws: EvidenceError.self) { try input.sign(with: ticket) }
        #expect(error?.code == .value)
        #expect(error?.description == input.violations.map(\.description).joined(separator: "; "))
        #expect(error?.description.contains("tooShort") == false)
        #expect(!ticket.isUsed)
    }

    static let values: [(SignParameter, good: [String], bad: [String])] = [
        (
            .nonce, [someNonce],
            [
                "", String(someNonce.dropLast()), someNonce + "a", someNonce.dropLast() + "-",
                someNonce.dropLast(2) + "é",
            ]
        ),
        (
            .orderNo, ["1", "orderNo596551", String(repeating: "z", count: 32)],
            ["", String(repeating: "z", count: 33), "a-b", "a b", "１"]
        ),
        (
            .userId, ["u", "a_b-c", String(repeating: "9", count: 32)],
            ["", String(repeating: "9", count: 33), "a@b", "a b", "a.b"]
        ),
        (.appId, ["IDAXXXXX", "a"], ["", "IDAXXXXX1", "IDA-XXXX"]),
        (
            .version, ["1.0.0", "1", "10.20"],
            ["", "1.", ".1", "1..0", "v1", "1.0.0 ", String(repeating: "1", count: 21)]
        ),
        (
            .code, ["0", "66660004", "-5001", "9999999999"],
            ["", "00", "01", "-0", "-", "--1", "1-", "0x", " 0", "+1", "12345678901"]
        ),
        (.h5faceId, ["bwiwe1457895464"], ["", String(repeating: "a", count: 33), "a/b"]),
        (.name, ["", "张三", "O'Neil"], [String(repeating: "a", count: 1_025)]),
        (.idNo, ["4300000000000", "11010119900307123X"], [String(repeating: "1", count: 1_025)]),
    ]

    @Test(arguments: values)
    func forms(parameter: SignParameter, good: [String], bad: [String]) throws {
        let recipe = try #require(SignRecipe.all.first { $0.parameters.contains(parameter) })
        for (value, isGood) in good.map({ ($0, true) }) + bad.map({ ($0, false) }) {
            let input = try SignInput(recipe, [SignAssignment(name: parameter.vendorName, value: value)])
            let isViolated = input.violations.contains(try .matching(parameter))
            #expect(isViolated == !isGood, "\(parameter) \(value)")
        }
    }

    @Test func signsInDigits() throws {
        let sign = try Sign(hex: "d7606f1741ddcf90757da924edcf152a200ac7f0")
        #expect(sign.description == "D7606F1741DDCF90757DA924EDCF152A200AC7F0")
        #expect(try sign == Sign(hex: sign.description))
        for text in ["", "D7", sign.description + " ", sign.description.dropLast() + "G", sign.description + "00"] {
            #expect(throws: EvidenceError.self) { try Sign(hex: String(text)) }
        }
    }

    @Test func nonces() throws {
        var seen: Set<SignNonce> = []
        var counts: [Character: Int] = [:]
        for _ in 0..<2_000 {
            let nonce = try SignNonce.generate()
            #expect(SignNonce(nonce.value) == nonce)
            #expect(seen.insert(nonce).inserted)
            for character in nonce.value { counts[character, default: 0] += 1 }
        }
        // 64,000 characters over 62: 1,032 each. Seven standard deviations are 223.
        #expect(counts.count == 62)
        #expect(counts.values.allSatisfy { (800...1_270).contains($0) })
        #expect(SignNonce("short") == nil)
    }

    @Test func verificationsSayWhy() throws {
        let input = SignRecipe.frontEndResult(appId: "appId001", orderNo: "test1480921551481", code: "0")
        let sign = "526365E042766AE27A6E52D2E4829D4C6E156B5D"
        let ticket = try Ticket(.sign, resultTicket)
        func reasons(_ result: SignVerification) -> [SignRejectionReason.Code] {
            if case .invalid(let rejection) = result { rejection.reasons.map(\.code) } else { [] }
        }
        #expect(try input.verify(sign, with: [ticket]).isValid)
        #expect(try reasons(input.verify(sign, with: [])) == [.noUsableTicket])
        #expect(try reasons(input.verify(sign, with: [try Ticket(.nonce, resultTicket)])) == [.noUsableTicket])
        let dead = try Ticket(.sign, resultTicket, issued: .now - .seconds(3_600))
        #expect(try reasons(input.verify(sign, with: [dead])) == [.noUsableTicket])
        #expect(try input.verify(sign, with: [dead], at: .now - .seconds(1)).isValid)
        #expect(try reasons(input.verify("no sign", with: [ticket])) == [.sign])
        #expect(try reasons(input.verify(String(repeating: "0", count: 40), with: [ticket])) == [.mismatch])
        // Swapped, the digest would be the same: the forms come first.
        let swapped = SignRecipe.frontEndResult(appId: "appId001", orderNo: "0", code: "test1480921551481")
        #expect(try reasons(swapped.verify(sign, with: [ticket])) == [.value])

        guard case .valid(let second) = try input.verify(sign, with: [try Ticket(.sign, launchTicket), ticket]) else {
            Issue.record("the second ticket was not tried")
            return
        }
        #expect(second.ticketIndex == 1)
        guard case .valid(let lower) = try input.verify(sign.lowercased(), with: [ticket]) else {
            Issue.record("lower-case digits were refused")
            return
        }
        #expect(lower.warnings.contains { $0.code == .lowerCaseHex })
    }

    @Test func anInferredRecipeIsMarkedInTheResult() throws {
        let input = SignInput(
            .getAdvFaceId, signing: [.appId: "IDAXXXXX", .userId: "userID19959248596551", .nonce: someNonce])
        let ticket = try Ticket(.sign, launchTicket)
        guard case .valid(let acceptance) = try input.verify(try input.sign(with: ticket), with: [ticket]) else {
            Issue.record("not valid")
            return
        }
        #expect(acceptance.warnings.contains { $0.code == .inferredRecipe })
    }

    /// The order in which values are given never matters; another value gives another sign, unless the joined text is
    /// the same, which is what the warning is about.
    @Test func permutingChangesNothingAndChangingAValueIsSeenOrWarnedOf() throws {
        var generator = SeededGenerator(seed: 3)
        let alphabets = [Array("0123456789"), Array("01"), Array("abcXYZ019"), Array("aA")]
        var collisions = 0
        for _ in 0..<1_500 {
            let recipe = try #require(
                SignRecipe.all.filter { !$0.parameters.contains(.name) }.randomElement(using: &generator))
            let alphabet = try #require(alphabets.randomElement(using: &generator))
            var values: [SignParameter: String] = [:]
            for parameter in recipe.parameters {
                values[parameter] = randomValue(parameter, alphabet, &generator)
            }
            let ticketText = text(64, Array("0Aaz19XYZ"), &generator)
            let assignments = values.map { SignAssignment(name: $0.key.vendorName, value: $0.value) }
            let input = try SignInput(recipe, assignments)
            let sign = try input.sign(with: Ticket(recipe.ticketKind, ticketText))
            let shuffled = try SignInput(recipe, assignments.shuffled(using: &generator))
            #expect(try shuffled.sign(with: Ticket(recipe.ticketKind, ticketText)) == sign)

            let changed = try #require(
                recipe.parameters.filter { $0 != .appId && $0 != .version }.randomElement(using: &generator))
            values[changed] = randomValue(changed, alphabet, &generator)
            let other = try SignInput(recipe, values.map { SignAssignment(name: $0.key.vendorName, value: $0.value) })
            let ticket = try Ticket(recipe.ticketKind, ticketText)
            let otherIsSame = recipe.parameters.allSatisfy { other[$0] == input[$0] }
            guard case .valid(let acceptance) = try other.verify(sign, with: [ticket]) else {
                #expect(!otherIsSame)
                continue
            }
            if !otherIsSame {
                collisions += 1
                #expect(acceptance.warnings.contains { $0.code == .otherReading }, "\(recipe.name) \(values)")
            }
        }
        #expect(collisions < 20)
    }

    private func randomValue(
        _ parameter: SignParameter, _ alphabet: [Character], _ generator: inout SeededGenerator
    ) -> String {
        switch parameter {
        case .appId: "IDAXXXXX"
        case .version: "1.0.0"
        case .nonce: text(32, alphabet, &generator)
        case .code: ["0", "1", "10", "66660004", "-5001"].randomElement(using: &generator) ?? "0"
        default: text(Int.random(in: 1...6, using: &generator), alphabet, &generator)
        }
    }

    private func text(_ count: Int, _ alphabet: [Character], _ generator: inout SeededGenerator) -> String {
        String((0..<count).map { _ in alphabet.randomElement(using: &generator) ?? "0" })
    }
}

extension SignViolation {
    /// A value that breaks the rule of a field, made by breaking it.
    fileprivate static func matching(_ parameter: SignParameter) throws -> SignViolation {
        let recipe = try #require(SignRecipe.all.first { $0.parameters.contains(parameter) })
        let bad = SignAssignment(name: parameter.vendorName, value: String(repeating: "a", count: 2_000))
        return try #require(try SignInput(recipe, [bad]).violations.first { $0.parameter == parameter })
    }
}
