// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Foundation
import TestVectorSupport
import Testing

/// A destination belongs to one run: what a failed run left in it never reaches anyone.
@Suite struct DestinationReuseTests {
    /// Trying one key after the other, as an operator in the middle of a key rotation does.
    @Test func theNextKeyDoesNotPublishWhatTheWrongOneLeft() throws {
        let wrong = try RSAPrivateKey(contentsOf: Vectors.path("keys/other3072.pem"))
        let right = try RSAPrivateKey(contentsOf: Vectors.path("keys/rsa3072.pem"))
        var generator = SeededGenerator(seed: 1)
        let video = generator.bytes(400_000)
        let payload = MemoryDestination()
        let order = try OrderNumber("ord1")
        try PayloadSealer(orderNo: order, to: right.publicKey).seal(MemorySource(video), into: payload)

        let folder = try TemporaryFolder()
        let file = try WholeFile(path: folder("video"))
        let memory = MemoryDestination()
        for destination in [file, memory] as [any ByteDestination] {
            let source = MemorySource(payload.bytes)
            #expect(failure { _ = try PayloadOpener(wrong).open(from: source, into: destination) }?.code == .cannotOpen)
            let second = failure { _ = try PayloadOpener(right).open(from: source, into: destination) }
            #expect(second?.code == .spent)
        }
        #expect(memory.bytes.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: folder("video")))
    }

    /// The caller says which order it is waiting for.
    @Test func aPayloadOfAnotherOrderIsRefused() throws {
        let key = try RSAPrivateKey(contentsOf: Vectors.path("keys/rsa2048.pem"))
        let (mine, other) = (try OrderNumber("mine"), try OrderNumber("other"))
        let payload = MemoryDestination()
        try PayloadSealer(orderNo: other, to: key.publicKey).seal(MemorySource([1]), into: payload)
        let opened = MemoryDestination()
        let source = MemorySource(payload.bytes)
        #expect(failure { _ = try PayloadOpener(key).open(of: mine, from: source, into: opened) }?.code == .otherOrder)
        #expect(opened.bytes.isEmpty)
        let report = try PayloadOpener(key).open(of: other, from: source, into: MemoryDestination())
        #expect(report.orderNo == other)
    }

    /// A source that shrinks between the two readings of a rewrapping gives nothing.
    @Test func aPayloadThatChangesWhileItIsRewrappedIsRefused() throws {
        let key = try RSAPrivateKey(contentsOf: Vectors.path("keys/rsa2048.pem"))
        let payload = MemoryDestination()
        let order = try OrderNumber("ord1")
        try PayloadSealer(orderNo: order, to: key.publicKey).seal(MemorySource([1]), into: payload)
        for kept in [10, payload.bytes.count - 1, payload.bytes.count + 1] {
            let rewrapped = MemoryDestination()
            let source = ChangingSource(first: payload.bytes, then: Array((payload.bytes + [0x20]).prefix(kept)))
            let error = failure {
                try PayloadOpener(key).rewrap(of: order, from: source, to: key.publicKey, into: rewrapped)
            }
            #expect(error?.code == .changed)
            #expect(rewrapped.bytes.isEmpty)
        }
    }

    /// Rewrapping keeps the payload's rules, and opens no way round the strength of keys.
    @Test func rewrappingRefusesWhatOpeningWouldRefuse() throws {
        let key = try RSAPrivateKey(contentsOf: Vectors.path("keys/rsa2048.pem"))
        let payload = MemoryDestination()
        let order = try OrderNumber("ord1")
        try PayloadSealer(orderNo: order, to: key.publicKey).seal(MemorySource([1]), into: payload)
        let text = String(decoding: payload.bytes, as: UTF8.self)
        for (changed, code) in [
            (text.replacing("ord1", with: "not an order"), EvidenceError.Code.type),
            (text.replacing("{\"orderNo\"", with: "{\"simpleModeResult\":{},\"orderNo\""), .ambiguous),
        ] {
            let error = failure {
                try PayloadOpener(key).rewrap(
                    of: order, from: MemorySource(Array(changed.utf8)), to: key.publicKey, into: MemoryDestination())
            }
            #expect(error?.code == code)
        }
        let weak = try RSAPrivateKey(contentsOf: Vectors.path("keys/rsa2048-e3.pem"))
        for (old, new) in [(weak, key), (key, weak)] {
            let error = failure {
                try PayloadOpener(old).rewrap(
                    of: order, from: MemorySource(payload.bytes), to: new.publicKey, into: MemoryDestination())
            }
            #expect(error?.code == .weakKey)
        }
    }

    private func failure(_ body: () throws -> Void) -> EvidenceError? {
        #expect(throws: EvidenceError.self, performing: body)
    }
}

/// A file that somebody changes between two readings.
private final class ChangingSource: ByteSource {
    let isSeekable = true
    let size: UInt64? = nil
    private var current: MemorySource
    private let next: MemorySource
    private var seeks = 0

    init(first: [UInt8], then: [UInt8]) {
        current = MemorySource(first)
        next = MemorySource(then)
    }

    func read(_ count: Int, to buffer: inout [UInt8]) -> Int { current.read(count, to: &buffer) }

    func seek(to offset: UInt64) {
        seeks += 1
        if seeks == 2 { current = next }
        current.seek(to: offset)
    }
}
