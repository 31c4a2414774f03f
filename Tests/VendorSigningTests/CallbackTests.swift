import EvidenceErrors
import Testing
import VendorSigning
import VendorTypes

@Suite struct CallbackTests {
    private let order = "test1480921551481"
    private let sign = "526365E042766AE27A6E52D2E4829D4C6E156B5D"

    private func verify(_ query: String, expecting order: String? = nil) throws -> CallbackVerification {
        let expected = try OrderNumber(order ?? self.order)
        return try UnverifiedCallback(query: query)
            .verify(appId: "appId001", expecting: expected, with: [try Ticket(.sign, resultTicket)])
    }

    @Test func everyPublishedFormIsReadAndVerified() throws {
        let base = "code=0&orderNo=\(order)&h5faceId=bwiwe1457895464"
        let forms: [(String, [CallbackPage])] = [
            ("\(base)&newSignature=\(sign)&liveRate=99", [.h5]),
            ("\(base)&newSignature=\(sign)", [.h5, .h5Older]),
            ("\(base)&newSign=\(sign)", [.pc, .pcWithLiveRate]),
            ("\(base)&newSign=\(sign)&liveRate=99", [.pcWithLiveRate]),
            ("\(base)&faceCode=0&willCode=0&newSignature=\(sign)&liveRate=99", [.will]),
            ("code=0&orderNo=\(order)&newSign=\(sign)", []),
        ]
        #expect(Set(forms.flatMap(\.1)) == Set(CallbackPage.all))
        for (query, pages) in forms {
            #expect(try UnverifiedCallback(query: query).pages == pages, "\(query)")
            guard case .valid(let result) = try verify(query) else {
                Issue.record("\(query)")
                continue
            }
            #expect(result.isPassed)
            #expect(result.code == "0")
            #expect(result.orderNo.value == order)
            #expect((result.unsigned.liveRate?.unverifiedValue == "99") == query.contains("liveRate"))
            #expect((result.unsigned.willCode != nil) == query.contains("willCode"))
            #expect((result.unsigned.faceCode != nil) == query.contains("faceCode"))
            #expect((result.unsigned.h5faceId != nil) == query.contains("h5faceId"))
        }
    }

    @Test func theWholeURLMayBeGiven() throws {
        let query = "session=a%20b&code=0&orderNo=%74est1480921551481&newSignature=\(sign.lowercased())"
        let callback = try UnverifiedCallback(url: "https://example.com/back?\(query)#/top?code=1")
        #expect(callback.claimedOrderNo.unverifiedValue == order)
        #expect(callback.claimedCode.unverifiedValue == "0")
        for url in ["https://example.com/back", "https://example.com/#/back?\(query)", ""] {
            #expect(throws: EvidenceError.self) { try UnverifiedCallback(url: url) }
        }
    }

    @Test(arguments: [
        "code=0&code=0&orderNo=O&newSign=S", "orderNo=O&newSign=S", "code=0&newSign=S", "code=0&orderNo=O",
        "code=0&orderNo=O&newSign=S&newSignature=S", "code=0&orderNo=O&newSign", "code=0&orderNo=%&newSign=S",
        "code=0&orderNo=%4&newSign=S", "code=0&orderNo=%4G&newSign=S", "code=0&orderNo=%FF&newSign=S",
        "code=0&orderNo=%C0%80&newSign=S", "code=0&orderNo=%00&newSign=S", "code=0&orderNo=%0A&newSign=S",
        "code=0&orderNo=O O&newSign=S", "code=0&orderNo=é&newSign=S", "code=0&orderNo=\"&newSign=S",
        "code=0&orderNo=O&newSign=S&c%6Fde=1", "code=0&orderNo=%ED%A0%80&newSign=S", "Code=0&orderNo=O&newSign=S",
        "code=0&orderNo=O&newSign=S&other=%zz",
    ])
    func malformedQueriesAreRefused(query: String) {
        let error = #expect(throws: EvidenceError.self) { try UnverifiedCallback(query: query) }
        #expect(error?.code == .callback)
    }

    @Test func aQueryIsBounded() throws {
        let query = "code=0&orderNo=\(order)&newSign=\(sign)&x="
        _ = try UnverifiedCallback(query: query + String(repeating: "x", count: 8_192 - query.utf8.count))
        #expect(throws: EvidenceError.self) {
            try UnverifiedCallback(query: query + String(repeating: "x", count: 8_193 - query.utf8.count))
        }
    }

    @Test func anythingChangedIsRefusedWithTheReason() throws {
        func reasons(_ query: String, expecting order: String? = nil) throws -> [SignRejectionReason.Code] {
            guard case .invalid(let rejection) = try verify(query, expecting: order) else { return [] }
            return rejection.reasons.map(\.code)
        }
        #expect(try reasons("code=0&orderNo=\(order)&newSign=\(sign)") == [])
        #expect(try reasons("code=1&orderNo=\(order)&newSign=\(sign)") == [.mismatch])
        #expect(try reasons("code=00&orderNo=\(order)&newSign=\(sign)") == [.value])
        #expect(try reasons("code=%2B0&orderNo=\(order)&newSign=\(sign)") == [.value])
        #expect(try reasons("code=0&orderNo=\(order)&newSign=\(sign)", expecting: "another") == [.order])
        #expect(try reasons("code=0&orderNo=\(order)+&newSign=\(sign)") == [.order])
        #expect(try reasons("code=0&orderNo=\(order)&newSign=") == [.sign])
        #expect(try reasons("code=\(order)&orderNo=0&newSign=\(sign)") == [.value, .order])
    }

    @Test func swappedFieldsAreExplained() throws {
        let callback = try UnverifiedCallback(query: "code=\(order)&orderNo=0&newSign=\(sign)")
        let why = callback.claims(appId: "appId001").explain(sign, with: [try Ticket(.sign, resultTicket)])
        #expect(why.map { $0.mistakes.map(\.code) } == [[.swapped]])
    }

    @Test func aStoreServesAsWell() async throws {
        let clock = ManualClock()
        let store = InMemoryTicketStore(fetchingWith: TokenService(clock: clock), clock: clock)
        let sign = try SignRecipe.frontEndResult(appId: "appId001", orderNo: order, code: "66660004")
            .sign(with: await store.signTicket(), at: clock.now)
        let callback = try UnverifiedCallback(query: "code=66660004&orderNo=\(order)&newSign=\(sign)")
        let expected = try OrderNumber(order)
        clock.advance(by: .seconds(1_200))
        guard case .valid(let result) = try await callback.verify(appId: "appId001", expecting: expected, with: store)
        else {
            Issue.record("not valid")
            return
        }
        #expect(!result.isPassed)
    }
}
