// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceEncoding
import SignDiagnosis
import TestVectorSupport
import Testing
import VendorSigning

/// Signs that were made with a mistake, and what they are explained with.
@Suite struct MistakeTests {
    // MARK: - Vectors

    struct Mistake: Decodable {
        let id: String
        let recipe: String
        let values: [String: String]
        let ticket: String
        let sign: String
        let expect: [String]
        let parameters: [String]
        let alsoFits: [String]?
        let givenKind: String?
        let otherTicket: String?
        let isOld: Bool?
    }

    /// Two values that stand in each other's place in a list of another order were not swapped.
    @Test func aSortWithoutCaseIsNoSwap() throws {
        let ticket = "a" + String(repeating: "O9", count: 31) + "x"
        let nonce = "kHoSxvLZGxSoFsjxlbzEoUzh5PAnTU7T"
        let values = ["appId": "IDAXXXXX", "userId": "userID1", "version": "1.0.0", "nonce": nonce]
        let input = try SignInput(recipe: "sdk-launch", values: values)
        let sign = try Launch.digits(of: Array("1.0.0\(ticket)IDAXXXXX\(nonce)userID1".utf8))
        let found = try input.explain(sign, with: [Ticket(input.recipe.ticketKind, ticket)])
        #expect(found.map { $0.mistakes.map(\.code) } == [[.caseInsensitiveSort]], "\(found)")
    }

    @Test func everyMistakeIsNamed() throws {
        let codes: [String: SignMistake.Code] = [
            "caseInsensitiveSort": .caseInsensitiveSort, "sortedByName": .sortedByName, "notSorted": .notSorted,
            "outOfOrder": .outOfOrder, "namesIncluded": .namesIncluded, "separator": .separator,
            "percentEncoding": .percentEncoding, "blank": .blank, "letterCase": .letterCase, "algorithm": .algorithm,
            "leftOut": .leftOut, "added": .added, "duplicateDropped": .duplicateDropped, "nullAsText": .nullAsText,
            "swapped": .swapped, "ticketKind": .ticketKind, "oldTicket": .oldTicket, "otherTicket": .otherTicket,
            "signText": .signText, "otherCode": .otherCode,
        ]
        let tests: [Mistake] = try Vectors.tests("sign/mistakes.json")
        #expect(tests.count > 40)
        #expect(Set(tests.flatMap(\.expect)) == Set(codes.keys))
        for test in tests {
            var values = test.values
            // A version that is missing takes its default; nothing else is filled in.
            if test.recipe == "sdk-launch" { values["version"] = nil }
            let input = try SignInput(recipe: test.recipe, values: values)
            let kind = test.givenKind.flatMap(Ticket.Kind.init(rawValue:)) ?? input.recipe.ticketKind
            let issued = ContinuousClock.now.advanced(by: test.isOld == true ? .seconds(-10_000) : .zero)
            let ticket = try Ticket(kind, test.ticket, issued: issued)
            let others = try test.otherTicket.map { [try Ticket(kind, $0)] } ?? []
            let found = try input.explain(test.sign, with: [ticket], others: others)
            if test.expect.isEmpty {
                #expect(found.isEmpty, "\(test.id): \(found)")
                continue
            }
            #expect(try !input.verify(test.sign, with: [ticket]).isValid, "\(test.id)")
            let expected = test.expect.compactMap { codes[$0] }
            let fitting = found.filter { $0.mistakes.map(\.code) == expected }
            #expect(!fitting.isEmpty, "\(test.id): \(found)")
            if !test.parameters.isEmpty {
                #expect(
                    fitting.contains { $0.mistakes[0].parameters.map(\.vendorName) == test.parameters },
                    "\(test.id): \(found)")
            }
            // The text may also come about in another way, but whatever is said has no more mistakes than needed.
            #expect(found.allSatisfy { $0.mistakes.count == expected.count }, "\(test.id): \(found)")
            for also in test.alsoFits ?? [] {
                #expect(found.contains { $0.mistakes.map(\.code) == [codes[also]] }, "\(test.id): \(found)")
            }
            for secret in [test.ticket, test.otherTicket ?? test.ticket] {
                #expect(!found.description.contains(secret), "\(test.id)")
            }
        }
    }

    /// An order number that was kept as a number.
    @Test(arguments: ["12345678901234567000", "1.2345678901234567e+19", "12345678901234500000", "1.23457E+19"])
    func aRoundedNumberIsExplained(_ number: String) throws {
        let ticket = "duSz9ptwyW1Xn7r6gYItxz3feMdJ8Na5x7JZuoxurE7RcI5TdwCE4KT2eEeNNDoe"
        let input = SignRecipe.frontEndResult(appId: "appId001", orderNo: "12345678901234567890", code: "0")
        let text = ["appId001", number, "0", ticket].sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.joined()
        let found = try input.explain(Launch.digits(of: Array(text.utf8)), with: [Ticket(.sign, ticket)])
        #expect(found.map { $0.mistakes.map(\.code) } == [[.rounded]], "\(found)")
        #expect(found[0].mistakes[0].parameters.map(\.vendorName) == ["orderNo"])
        #expect(found[0].description.contains("(\(number))"))
    }

    @Test func swappedFieldsOfACallbackAreExplained() throws {
        let sign = "526365E042766AE27A6E52D2E4829D4C6E156B5D"
        let ticket = try Ticket(.sign, "duSz9ptwyW1Xn7r6gYItxz3feMdJ8Na5x7JZuoxurE7RcI5TdwCE4KT2eEeNNDoe")
        let callback = try UnverifiedCallback(query: "code=test1480921551481&orderNo=0&newSign=\(sign)")
        let why = try callback.claims(appId: "appId001").explain(sign, with: [ticket])
        #expect(why.map { $0.mistakes.map(\.code) } == [[.swapped]])
    }

    @Test func everyOrderIsExplained() throws {
        let ticket = "duSz9ptwyW1Xn7r6gYItxz3feMdJ8Na5x7JZuoxurE7RcI5TdwCE4KT2eEeNNDoe"
        let values = ["IDAXXXXX", "test1480921551481", "0", ticket]
        let input = SignRecipe.frontEndResult(appId: values[0], orderNo: values[1], code: values[2])
        var orders: [[String]] = [[]]
        for value in values {
            var longer: [[String]] = []
            for order in orders {
                for place in 0...order.count {
                    longer.append(order)
                    longer[longer.count - 1].insert(value, at: place)
                }
            }
            orders = longer
        }
        #expect(Set(orders).count == 24)
        for order in orders {
            let text = Array(order.joined().utf8)
            let digest = try DigestAlgorithm.sha1.digest(of: text.span)
            let sign = Hex.encode(digest.span)
            let tickets = [try Ticket(.sign, ticket)]
            if try input.verify(sign, with: tickets).isValid { continue }
            let found = try input.explain(sign, with: tickets)
            #expect(!found.isEmpty, "\(order)")
        }
    }

    // MARK: - Values and tickets that were written otherwise

    /// What stood around the ticket when it was signed, and how that is said.
    @Test(arguments: [
        ("'", "'", "quotation marks"), ("`", "`", "quotation marks"), ("“", "”", "quotation marks"),
        ("‘", "’", "quotation marks"), ("\"", "\"\n", "quotation marks and a line break"),
        ("\\\"", "\\\"", "with backslashes"), ("", "\n\n", "line breaks after it"),
        ("\u{FEFF}", "", "a byte-order mark before it"),
        ("\u{FEFF}", "\r\n", "a byte-order mark before it, and a line"),
        ("", "\u{A0}", "a no-break space after it"), ("\u{A0}", "", "a no-break space before it"),
        ("\u{200B}", "", "an invisible character before it"), ("", "\0", "a zero byte after it"),
        ("[", "]", "brackets around it"), ("{", "}", "brackets around it"), ("<", ">", "brackets around it"),
        ("[\"", "\"]", "brackets and quotation marks"), ("", "\\n", "a backslash and an n"),
        ("", "%0A", "an encoded line break"), ("", "%20", "an encoded blank"), ("", ".", "a full stop"),
        ("Bearer ", "", "the word Bearer"), ("b'", "'", "as of Python"), ("Optional(\"", "\")", "as Swift prints it"),
        ("{\"value\":\"", "\"}", "the JSON around it"), ("\"ticket\": \"", "\"", "its name before it"),
        ("{api_ticket=", "}", "a printed map"), ("NONCE: ", "", "its name before it"),
        ("export TICKET='", "'\n", "its name before it, and what else"),
    ]) func whatStoodAroundTheTicketIsSaid(_ before: String, _ after: String, _ says: String) throws {
        let text = Launch.text { $0 == "ticket" ? before + $1 + after : $1 }
        let found = try Launch().explain(signing: text)
        #expect(found.map { $0.mistakes.map(\.code) } == [[.blank]], "\(found)")
        #expect(found.allSatisfy { $0.description.contains(says) && $0.mistakes[0].parameters.isEmpty }, "\(found)")
    }

    /// What was signed in place of the ticket. Where that has nothing of one, no ticket is named.
    @Test func whatWasSignedInPlaceOfTheTicketIsSaid() throws {
        let ticket = Launch.ticket
        let hex = ticket.utf8.map { String($0, radix: 16) }.joined()
        let base64 = String(decoding: Base64.encode(Array(ticket.utf8).span), as: UTF8.self)
        let rows = [
            (hex, "hex of the ticket", true), (base64, "base64 of the ticket", true), (ticket + ticket, "twice", true),
            (String(ticket.prefix(32)), "the first 32 characters", true),
            (String(ticket.prefix(63)), "the first 63 characters", true), ("undefined", "undefined", false),
            ("null", "null", false), ("YOUR_TICKET", "YOUR_TICKET", false), ("Optional(nil)", "Optional(nil)", false),
            ("{}", "{}", false), ("", "without the ticket", false),
        ]
        for (signed, says, isTicket) in rows {
            let found = try Launch().explain(signing: Launch.text { $0 == "ticket" ? signed : $1 })
            #expect(found.map { $0.mistakes.map(\.code) } == [[.leftOut]], "\(signed): \(found)")
            #expect(found.first?.description.contains(says) == true, "\(signed): \(found)")
            #expect(found.first?.ticketIndex == (isTicket ? 0 : nil), "\(signed)")
        }
    }

    /// Each value that was changed alone is named, with what was done to it.
    @Test(arguments: Launch.values.keys.sorted()) func theChangedValueIsNamed(_ name: String) throws {
        let (parameter, value) = (try #require(SignParameter(named: name)), try #require(Launch.values[name]))
        let changes: [(SignMistake.Code, says: String, signed: String)] = [
            (.blank, "quotation marks around it", "\"\(value)\""), (.blank, "a comma after it", value + ","),
            (.blank, "a byte-order mark before it", "\u{FEFF}" + value),
            (.blank, "an invisible character after it", value + "\u{200B}"),
            (.blank, "signed after \(name)", value + "\r\n"), (.blank, "signed before \(name)", "\t" + value),
            (.letterCase, "lower case", value.lowercased()), (.letterCase, "upper case", value.uppercased()),
            (.leftOut, "without \(name)", ""),
        ]
        for (code, says, signed) in changes where signed != value {
            let found = try Launch().explain(signing: Launch.text { $0 == name ? signed : $1 })
            #expect(
                found.contains { $0.mistakes.map(\.code) == [code] && $0.mistakes[0].parameters == [parameter] },
                "\(says): \(found)")
            #expect(found.contains { $0.description.contains(says) }, "\(says): \(found)")
        }
    }

    @Test(arguments: ["+", "-", "_", "|", ":", ";", "/", "\n", "\r\n", "\t", "，"])
    func theSeparatorIsSaid(_ separator: String) throws {
        let found = try Launch().explain(signing: Launch.pieces().joined(separator: separator))
        #expect(found.map { $0.mistakes.map(\.code) } == [[.separator]], "\(found)")
        let isShown = !separator.contains(where: \.isWhitespace) && separator != "，"
        #expect(found.first?.description.contains("'\(separator)'") == isShown, "\(found)")
    }

    @Test(arguments: DigestAlgorithm.allCases) func anHMACUnderTheTicketIsSaid(_ algorithm: DigestAlgorithm) throws {
        let launch = try Launch()
        for text in [Launch.text(), Launch.text { $0 == "ticket" ? "" : $1 }] {
            let (text, key) = (Array(text.utf8), Array(Launch.ticket.utf8))
            let code = try algorithm.authenticationCode(of: text.span, key: key.span)
            let found = try launch.input.explain(Hex.encode(code.span), with: [launch.ticket])
            #expect(found.map(\.description) == ["HMAC-\(algorithm.rawValue) under the ticket was used, not SHA-1"])
        }
    }

    // MARK: - Which explanation, and of what

    /// The tickets to verify with come first, then the others, then the old ones.
    @Test func theTicketIsNamedByItsPlace() throws {
        let input = SignRecipe.frontEndResult(appId: "appId001", orderNo: "order1", code: "0")
        func ticket(_ number: Int) throws -> Ticket { try Ticket(.sign, "ticket\(number)") }
        let expected: [[SignMistake.Code]] = [[], [], [.otherTicket], [.otherTicket], [.oldTicket]]
        for (place, codes) in expected.enumerated() {
            let found = try input.explain(
                input.sign(with: ticket(place)).description, with: [ticket(0), ticket(1)],
                others: [ticket(2), ticket(3)], old: [ticket(4)])
            #expect(found.map { $0.mistakes.map(\.code) } == (codes.isEmpty ? [] : [codes]), "\(place): \(found)")
            #expect(found.map(\.ticketIndex) == (codes.isEmpty ? [] : [place]))
        }
    }

    /// A ticket that expired explains a sign, and another mistake beside it is said as well.
    @Test func mistakesAreSaidTogether() throws {
        let input = SignRecipe.frontEndResult(appId: "appId001", orderNo: "order1", code: "0")
        let old = try Ticket(.sign, "ticket1", issued: .now - .seconds(4_000))
        let sign = try Launch.digits(of: Array("0&appId001&order1&ticket1".utf8))
        let found = try input.explain("sign=\(sign);", with: [try Ticket(.sign, "ticket2")], others: [old])
        #expect(found.map { $0.mistakes.map(\.code) } == [[.signText, .oldTicket, .separator]], "\(found)")
        let words = ["has its name before it, and has a semicolon after it", "an old ticket", "joined with '&'"]
        #expect(words.allSatisfy { found.first?.description.contains($0) == true }, "\(found)")
    }

    /// No more than is needed is said, and nothing twice.
    @Test func theFewestMistakesAreSaid() throws {
        let (launch, other) = (try Launch(), try Ticket(.nonce, Launch.ticket))
        // The same ticket twice, among the right ones and the others: only the separator was wrong.
        let sign = try Launch.digits(of: Array(Launch.pieces().joined(separator: ",").utf8))
        let found = try launch.input.explain(sign, with: [launch.ticket], others: [other])
        #expect(found.map { $0.mistakes.map(\.code) } == [[.separator]], "\(found)")
    }

    /// Of a sign that is right, or of no way that is known, nothing is said.
    @Test func noiseAndRightSignsAreNotExplained() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<40 {
            let order = "A\(UInt64.random(in: 0 ... .max, using: &generator))"
            let input = SignRecipe.frontEndResult(appId: "IDAXXXXX", orderNo: order, code: "66660004")
            let ticket = try Ticket(.sign, "ticket\(order)")
            let right = try input.sign(with: ticket).description
            #expect(try input.explain(right, with: [ticket]).isEmpty)
            #expect(try input.explain(right, with: [ticket], others: [ticket], old: [ticket]).isEmpty)
            for count in [16, 20, 32, 48, 64] {
                let noise = generator.bytes(count)
                #expect(try input.explain(Hex.encode(noise.span), with: [ticket]).isEmpty)
            }
        }
    }

    /// What is given is bounded, and white space counts.
    @Test func aLongTextIsNotLookedAt() throws {
        let launch = try Launch()
        let sign = try Launch.digits(of: Array(Launch.text().utf8))
        for (count, isExplained) in [(256, true), (257, false)] {
            let text = sign + String(repeating: " ", count: count - sign.utf8.count)
            #expect(try launch.input.explain(text, with: [launch.ticket]).isEmpty == !isExplained)
        }
    }
}

/// Signs that are right, but were written in another way than 40 digits.
@Suite struct WrittenSignTests {
    private let digits: String

    init() throws { digits = try Launch.digits(of: Array(Launch.text().utf8)) }

    private func explain(_ text: String) throws -> [SignExplanation] { try Launch().explain(text) }

    private var pairs: [String] {
        stride(from: 0, to: digits.utf8.count, by: 2).map { String(digits.dropFirst($0).prefix(2)) }
    }

    /// What stands around the digits, and how that is said.
    @Test(arguments: [
        ("'", "'", "quotation marks around it"), ("“", "”", "quotation marks around it"),
        ("[", "]", "brackets around it"), ("<", ">", "brackets around it"), ("(", ")", "brackets around it"),
        ("\u{FEFF}", "", "a byte-order mark before it"), ("newSignature: ", "", "its name before it"),
        ("NEWSIGN=", "", "its name before it"), ("", "%20", "an encoded blank"),
        ("", "%0D%0A", "an encoded line break"),
        ("", ";", "a semicolon"), ("", "\\n", "a backslash and an n"), ("", "\u{A0}", "a no-break space"),
        ("", "\u{200B}", "an invisible character"), ("", ".", "a full stop"), ("", "\0", "a zero byte"),
        ("sign=\"", "\"", "its name before it, and has quotation marks around it"),
        ("the sign is ", " of today", "other text around it"),
    ]) func whatStandsAroundTheDigitsIsSaid(_ before: String, _ after: String, _ says: String) throws {
        let found = try explain(before + digits + after)
        #expect(found.map { $0.mistakes.map(\.code) } == [[.signText]], "\(found)")
        #expect(found.first?.description.contains(says) == true, "\(found)")
    }

    @Test(arguments: [
        (":", "colons"), ("-", "hyphens"), (" ", "blanks"), (", ", "commas"), ("\n", "line breaks"),
    ]) func whatStandsBetweenTheDigitsIsSaid(_ separator: String, _ name: String) throws {
        let found = try explain(pairs.joined(separator: separator))
        #expect(found.map(\.description) == ["the sign has \(name) between its digits"])
    }

    /// Cut off, a sign is named from eight bytes on; of fewer, every ticket would have some sign that begins so.
    @Test func aSignThatWasCutIsNamedByItsLength() throws {
        for count in [16, 17, 32, 38] {
            let found = try explain(String(digits.prefix(count)))
            #expect(found.first?.description.contains("its first \(count) of 40 digits") == true, "\(count): \(found)")
        }
        #expect(try explain(String(digits.prefix(15))).isEmpty)
        #expect(try explain(String(digits.dropFirst(20))).isEmpty)
    }

    /// Which of two digests was meant, nobody knows.
    @Test func aTextWithTwoDigestsIsNotExplained() throws {
        let other = String(repeating: "0123456789", count: 4)
        for (text, isExplained) in [("\(digits) or \(other)", false), ("\(digits) or so", true)] {
            #expect(try explain(text).isEmpty == !isExplained, "\(text)")
        }
    }
}
