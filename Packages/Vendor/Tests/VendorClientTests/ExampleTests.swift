// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Foundation
import Testing
import VendorClient
import VendorHTTP
import VendorServer

/// The snippets of `docs/VENDOR-SERVER.md`; a test of the documentation compares them.
@Suite struct ExampleTests {
    @Test func aKeeperIsMade() throws {
        let appId = try AppId("TIDA0001")
        let secret = try AppSecret(SecretBytes(copying: Array("THE-SECRET".utf8).span))

        // snippet
        let connection = VendorConnection(over: CurlTransport())  // module VendorHTTP; or a transport of your own
        let keeper = TokenKeeper(
            appId: appId, secret: secret, connection: connection,
            store: FileCredentialStore(path: "/var/lib/kyc/tickets"))
        let client = VendorClient(keeper)
        // end of snippet

        #expect(client.keeper === keeper)
    }

    @Test func aVerificationGoesThrough() async throws {
        let (service, attempt) = (FakeService(), try Fixture.attempt())
        let keeper = try Fixture.keeper(service)
        let client = VendorClient(keeper)
        let identity = try ClaimedIdentity(name: "Li Lei", idNo: "1")
        service.answer(
            "getAdvFaceId", #"{"code":"0","result":{"orderNo":"\#(attempt.orderNo)","faceId":"0123456789abcdef"}}"#)
        service.answer(
            "queryfacerecord",
            #"{"code":"0","result":{"orderNo":"\#(attempt.orderNo)","liveRate":"99","similarity":"88","photo":"AAAA"}}"#
        )

        // snippet
        let faceId = try await client.answer { ticket throws(EvidenceError) in
            try FaceIdCall(.enhanced, for: attempt, identity: identity, signedWith: ticket)
        }.answer.value()
        let bundle = try LaunchBundle(faceId, signedWith: await keeper.nonceTicket(for: attempt))
        // end of snippet

        // snippet
        let record = try await client.record(
            of: attempt, files: .photo, patience: RecordPatience(verdict: .seconds(30)))
        // end of snippet

        #expect(bundle.attempt == attempt && record.answer.verification.isPassed)
    }
}
