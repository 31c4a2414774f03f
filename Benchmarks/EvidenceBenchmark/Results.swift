// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import EvidenceStreams

/// Makes a whole result: the video is digested while it is sealed. Without `path` the result is thrown away.
func assemble(recipient: String, video: String, into path: String?) throws {
    let recipient = try RSAPublicKey(contentsOf: recipient)
    let setting = try Setting()
    var assembler = try PayloadAssembler(
        orderNo: setting.order, appId: setting.appId, userId: "user1", capturedAt: setting.moment, to: recipient,
        comparing: recipient)
    let input = SignRecipe.frontEndResult(appId: setting.appId, orderNo: setting.order.value, code: "0")
    assembler.sign = try input.sign(with: setting.ticket)
    let destination: any ByteDestination = if let path { try WholeFile(path: path) } else { DiscardingDestination() }
    var byteCount: UInt64 = 0
    let time = try seconds {
        byteCount = try assembler.assemble(video: FileSource(path: video), into: destination).video.byteCount
    }
    print("seconds\t\(time)\nbytes\t\(byteCount)")
}

/// Checks such a result: the video is digested while it is opened.
func check(key: String, result: String, digestingLongFields: Bool) throws {
    var checker = try Setting().checker(key: key)
    checker.comparingKey = checker.videoKey
    checker.digestsLongFields = digestingLongFields
    var answer: CheckAnswer?
    let time = try seconds { answer = try checker.check(FileSource(path: result)) }
    guard let statement = answer?.reportForKeyHolder.statement else { fatalError("the result does not hold") }
    print("seconds\t\(time)\nbytes\t\(statement.video.byteCount)")
}

/// What both sides know.
struct Setting {
    let appId = "appId001"
    let order: OrderNumber
    let moment: UTCTime
    let ticket: Ticket

    init() throws {
        guard let order = try? OrderNumber("ord1"), let moment = UTCTime("2026-01-01T00:00:00.000Z") else {
            fatalError("constants")
        }
        self.order = order
        self.moment = moment
        ticket = try Ticket(.sign, SecretBytes(copying: [UInt8](repeating: UInt8(ascii: "t"), count: 64).span))
    }

    /// With one private key, so that a check takes one operation with it.
    func checker(key: String) throws -> ResultChecker {
        var checker = ResultChecker(expecting: order, at: moment)
        checker.videoKey = try RSAPrivateKey(contentsOf: key)
        checker.appId = appId
        checker.tickets = [ticket]
        return checker
    }
}
