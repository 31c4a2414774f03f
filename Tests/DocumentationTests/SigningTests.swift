import EvidenceKit
import Foundation
// SPDX-License-Identifier: Apache-2.0
import SignDiagnosis
import TestVectorSupport
import Testing

// snippet
/// Fetches tickets: here from files, in production from the vendor, as the package `Vendor` does.
struct TicketFiles: TicketFetching {
    func fetchSignTicket() throws -> Ticket { try ticket(.sign, in: "ticket.txt") }

    func fetchNonceTicket(userId: String) throws -> Ticket { try ticket(.nonce, in: "nonce-ticket.txt") }

    private func ticket(_ kind: Ticket.Kind, in path: String) throws -> Ticket {
        let value = try SecretBytes(firstLineOf: FileSource(path: path), name: path)
        return try Ticket(kind, value, issued: .now)
    }
}
// end of snippet

/// The snippets of `SigningCalls.md`.
@Suite struct SigningTests {
    @Test func signsAreMadeAndVerified() async {
        await #expect(processExitsWith: .success) { await Desk.example(Self.signing) }
    }

    private static func signing(_ desk: Desk) async throws {
        try desk.folder.write(
            "ESBy4AteNkCUhGP5EA3tSSnwKD3zr1vHBl5FoyKcP44bHEISwN0T3mpg24qIJ0Ed\n", to: "nonce-ticket.txt")

        // snippet
        let tickets = InMemoryTicketStore(fetchingWith: TicketFiles())
        // end of snippet

        // snippet
        let appId = try AppId("IDAXXXXX")
        let user = try UserId("u1")
        let attempt = try FaceAttempt(appId: appId, userId: user)
        let order: OrderNumber = attempt.orderNo
        if let now = UTCTime(secondsSince1970: Date().timeIntervalSince1970) { print(order, "at", now) }
        // end of snippet

        // snippet
        func launch(_ tickets: some TicketStore) async throws {
            let ticket: Ticket = try await tickets.nonceTicket(userId: user.value)  // for one launch, once
            let nonce = try SignNonce.generate()
            let values = SignRecipe.sdkLaunch(appId: appId.value, userId: user.value, nonce: nonce.value)
            let sign: Sign = try values.sign(with: ticket)
            print(sign)  // 40 hexadecimal digits
        }
        try await launch(tickets)
        // end of snippet

        let claimed = "E44E83C1326F5D379EF41DFA046CF586818C2F62"
        // snippet
        let input = try SignInput(
            SignRecipe(named: "front-end-result"),
            [
                SignAssignment(name: "appId", value: "IDAXXXXX"), SignAssignment(name: "orderNo", value: "ord1"),
                SignAssignment(name: "code", value: "0"),
            ])
        let verification = try await input.verify(claimed, with: tickets)
        switch verification {
        case .valid(let acceptance): print("valid", acceptance.warnings)
        case .invalid(let rejection): print("not valid:", rejection.reasons)
        }
        // end of snippet

        try #require(verification.isValid)
        let wrong = try SignRecipe.frontEndResult(appId: "IDAXXXXX", orderNo: "ord1", code: "0")
            .sign(with: Ticket(.sign, SecretBytes(copying: Array("other".utf8).span)))
        try #require(!(try await input.verify("\(wrong)", with: tickets).isValid))

        if let now = UTCTime(secondsSince1970: Date().timeIntervalSince1970) {
            try TicketFolder(path: ".").write(try await tickets.signTicket(), before: nil, at: now)
        }
        // snippet
        let kept = TicketFolder(path: ".")
        if let now = UTCTime(secondsSince1970: Date().timeIntervalSince1970) {
            print(try input.verify(claimed, with: kept.tickets(at: now)))  // the files as they are now
        }
        // end of snippet

        // snippet
        let ticket = try await tickets.signTicket()
        let explanations: [SignExplanation] = try input.explain(claimed.lowercased() + "0", with: [ticket])
        for explanation in explanations { print(explanation) }  // which mistakes produce this sign
        // end of snippet
    }
}
