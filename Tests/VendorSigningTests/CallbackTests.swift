// SPDX-License-Identifier: Apache-2.0
import EvidenceErrors
import Foundation
import TestVectorSupport
import Testing
import VendorSigning
import VendorTypes

@Suite struct CallbackTests {
    private let order = "test1480921551481"
    private let sign = "526365E042766AE27A6E52D2E4829D4C6E156B5D"

    private func verify(_ query: String, expecting order: String? = nil) throws -> CallbackVerification {
        try UnverifiedCallback(query: query)
            .verify(of: attempt(order ?? self.order), for: user, with: [Ticket(.sign, resultTicket)])
    }

    private let user: UserId

    init() throws { user = try UserId("u1") }

    private func attempt(_ order: String) throws -> FaceAttempt {
        FaceAttempt(appId: try AppId("appId001"), userId: user, orderNo: try OrderNumber(order))
    }

    @Test func everyPublishedFormIsReadAndVerified() throws {
        let base = "code=0&orderNo=\(order)&h5faceId=bwiwe1457895464"
        let forms: [(String, [CallbackPage])] = [
            ("\(base)&newSignature=\(sign)&liveRate=99", [.h5]),
            ("\(base)&newSignature=\(sign)", [.h5, .h5Older]),
            ("\(base)&newSign=\(sign)", [.pc, .pcWithLiveRate]),
            ("\(base)&newSign=\(sign)&liveRate=99", [.pcWithLiveRate]),
            ("\(base)&faceCode=0&willCode=0&newSignature=\(sign)&liveRate=99", [.intentCheck]),
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
            #expect(result.attempt.orderNo.value == order)
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
        "code=0&code=0&orderNo=O&newSign=S", "orderNo=O&newSign=S", "code=0&newSign=S",
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

    /// Codes that begin like that of a pass, each with the sign that would be right for it: only `0` is that of a pass.
    @Test(arguments: [
        ("01", "F39CC6FF0719A7DBD4D8A2B266B8DC05510162F0"), ("0x", "2FA8E9C81D0993BA4F93A60ACA24B87D105C4906"),
        ("00", "E9DD00ED29DC51512EF4FBB1C894B7DC581AB6E2"), ("000", "8154604086EFC13EC85CE0CD1AB7D081D4E2C480"),
        ("-0", "018DAF982FE7FB930D4C0EDF6B9EF4C86F9B6F60"), ("0.0", "710E0309C5012FA60F8A42D1C6AB1A3E199BCDD0"),
        ("0%20", "5C90CFDA769F54C8F9124B1EF6A5621885F89617"),
    ])
    func aCodeThatIsAlmostThatOfAPassIsRefused(_ code: String, _ sign: String) throws {
        guard case .invalid(let rejection) = try verify("code=\(code)&orderNo=\(order)&newSign=\(sign)") else {
            Issue.record("\(code) was taken")
            return
        }
        #expect(rejection.reasons.map(\.code) == [.value])
    }

    @Test(arguments: [
        ("1", "41B8B9EBB821B91A5144CD22D5D374DF34D017C0"), ("10", "E227CE243BB14E7DCA6BD7961FDAAD9DEAB8F93C"),
        ("-1", "243EFE14A1C3EDEBCB0C0CD93C60588A37D43A63"), ("66660004", "867A8793910FE12D8CE2F0763440A0AC7C3C86EB"),
        ("3003", "C6DB872B8B1C7F3BAAE3FBB6951F5102690CEE26"),
    ])
    func anotherCodeIsValidAndNoPass(_ code: String, _ sign: String) throws {
        guard case .valid(let result) = try verify("code=\(code)&orderNo=\(order)&newSign=\(sign)") else {
            Issue.record("\(code) was not taken")
            return
        }
        #expect(result.code == code)
        #expect(!result.isPassed)
    }

    /// The gravest mistake of integrators: the order is taken from the address, and is somebody else's who passed.
    @Test func anotherUsersPassIsNotMine() throws {
        let callback = try UnverifiedCallback(query: "code=0&orderNo=\(order)&newSign=\(sign)")
        let tickets = [try Ticket(.sign, resultTicket)]
        func reasons(_ attempt: FaceAttempt, _ user: UserId) throws -> [SignRejectionReason.Code] {
            guard case .invalid(let rejection) = try callback.verify(of: attempt, for: user, with: tickets) else {
                return []
            }
            return rejection.reasons.map(\.code)
        }
        let me = try UserId("me")
        // Looked up by the address: the order is right, the sign is right, and the user is not.
        #expect(try reasons(attempt(order), me) == [.user])
        // My own attempt, with the address of theirs.
        let mine = FaceAttempt(appId: try AppId("appId001"), userId: me, orderNo: try OrderNumber("mine"))
        #expect(try reasons(mine, me) == [.order])
        #expect(try reasons(mine, user) == [.user, .order])
        #expect(try reasons(attempt(order), user) == [])
    }

    @Test func aFailureWithoutASignIsUnsignedAndNotForged() throws {
        let callback = try UnverifiedCallback(query: "code=3003&orderNo=\(order)&h5faceId=a")
        #expect(callback.sign == nil)
        #expect(callback.pages == [.h5, .h5Older, .pc, .pcWithLiveRate])
        guard case .unsigned(let code) = try verify("code=3003&orderNo=\(order)&h5faceId=a") else {
            Issue.record("not unsigned")
            return
        }
        #expect(code.unverifiedValue == "3003")
        // A pass without a sign is none, whatever else is right.
        for (query, reasons) in [
            ("code=0&orderNo=\(order)", [SignRejectionReason.Code.unsigned]), ("code=00&orderNo=\(order)", [.value]),
            ("code=0&orderNo=other", [.order, .unsigned]), ("code=3003&orderNo=other", [.order]),
        ] {
            guard case .invalid(let rejection) = try verify(query) else {
                Issue.record("\(query)")
                continue
            }
            #expect(rejection.reasons.map(\.code) == reasons, "\(query)")
        }
    }

    /// `TestVectors/callbacks.json`: names that another reader takes for known ones, and codes that disagree.
    @Test func everyReaderSeesTheSameCallback() throws {
        let file = try JSONDecoder().decode(CallbackVectors.self, from: Data(Vectors.bytes("callbacks.json")))
        #expect(file.tests.count == 44)
        let attempt = FaceAttempt(appId: try AppId("IDAXXXXX"), userId: user, orderNo: try OrderNumber("ord1"))
        for vector in file.tests {
            let found: String
            do throws(EvidenceError) {
                let tickets = [try Ticket(.sign, file.ticket)]
                switch try UnverifiedCallback(query: vector.query).verify(of: attempt, for: user, with: tickets) {
                case .valid(let callback):
                    found = callback.isPassed ? "pass" : "no-pass"
                    #expect(callback.isContradicted == !callback.isPassed, "\(vector.query)")
                case .invalid, .unsigned: found = "invalid"
                }
            } catch {
                #expect(error.code == .callback)
                found = "refused"
            }
            #expect(found == vector.expect, "\(vector.query)")
        }
    }

    private struct CallbackVectors: Decodable {
        let ticket: String
        let tests: [Vector]

        struct Vector: Decodable {
            let query, expect: String
        }
    }

    @Test func aStoreServesAsWell() async throws {
        let clock = ManualClock()
        let store = InMemoryTicketStore(fetchingWith: TokenService(clock: clock), clock: clock)
        let sign = try SignRecipe.frontEndResult(appId: "appId001", orderNo: order, code: "66660004")
            .sign(with: await store.signTicket(), at: clock.now)
        let callback = try UnverifiedCallback(query: "code=66660004&orderNo=\(order)&newSign=\(sign)")
        clock.advance(by: .seconds(1_200))
        guard case .valid(let result) = try await callback.verify(of: attempt(order), for: user, with: store) else {
            Issue.record("not valid")
            return
        }
        #expect(!result.isPassed)
    }
}
