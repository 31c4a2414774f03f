internal import EvidenceEncoding
package import EvidenceErrors
package import EvidenceStreams

/// How many bytes are read at a time: enough to make calls cheap, little enough to stay in the cache.
let chunkByteCount = 256 << 10

// The calls on streams that this module makes, throwing its own error.

extension ByteSource {
    /// Reads until the end, or until `body` returns false.
    func forEachChunk(_ body: (Span<UInt8>) throws(EvidenceError) -> Bool) throws(EvidenceError) {
        var chunk: [UInt8] = []
        chunk.reserveCapacity(chunkByteCount)
        while true {
            chunk.removeAll(keepingCapacity: true)
            let count = try read(chunkByteCount, to: &chunk)
            guard count > 0, try body(chunk.span) else { return }
        }
    }

    /// The source itself, or a spool of what comes through a pipe: what is read twice. What is spooled is sealed.
    package func seekable() throws(EvidenceError) -> any ByteSource { isSeekable ? self : try spooled() }

    /// A spool of what is left of the source: nobody else can change it between two readings.
    func spooled() throws(EvidenceError) -> any ByteSource {
        let spool = SealedSpool(memoryLimit: Limits.spoolMemoryBytes)
        try forEachChunk { chunk throws(EvidenceError) in
            try spool.put(chunk)
            return true
        }
        try spool.complete()
        return spool
    }

    /// Makes the next read start there.
    func move(to offset: UInt64) throws(EvidenceError) {
        try seek(to: offset)
    }
}

extension ByteDestination {
    /// Writes.
    func put(_ bytes: Span<UInt8>) throws(EvidenceError) {
        try write(bytes)
    }

    /// Writes all of a buffer and empties it for the next use.
    func take(_ bytes: inout [UInt8]) throws(EvidenceError) {
        if bytes.isEmpty { return }
        try put(bytes.span)
        bytes.removeAll(keepingCapacity: true)
    }

    /// Does something that writes here, and gives up what was written if it fails.
    func orAbandon<Result>(_ body: () throws(EvidenceError) -> Result) throws(EvidenceError) -> Result {
        do throws(EvidenceError) { return try body() } catch {
            abandon()
            throw error
        }
    }

    /// Makes what was written final.
    func complete() throws(EvidenceError) {
        try finish()
    }
}
