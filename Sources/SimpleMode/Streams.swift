internal import EvidenceEncoding
internal import EvidenceStreams

/// How many bytes are read at a time: enough to make calls cheap, little enough to stay in the cache.
let chunkByteCount = 256 << 10

// The calls on streams that this module makes, throwing its own error.

extension ByteSource {
    /// Reads until the end, or until `body` returns false.
    func forEachChunk(_ body: (Span<UInt8>) throws(SimpleModeError) -> Bool) throws(SimpleModeError) {
        var chunk: [UInt8] = []
        chunk.reserveCapacity(chunkByteCount)
        while true {
            chunk.removeAll(keepingCapacity: true)
            let count: Int
            do throws(StreamError) { count = try read(chunkByteCount, to: &chunk) } catch {
                throw SimpleModeError(error)
            }
            guard count > 0, try body(chunk.span) else { return }
        }
    }

    /// The source itself, or a spool of what comes through a pipe: what is read twice. What is spooled is sealed.
    func seekable() throws(SimpleModeError) -> any ByteSource {
        if isSeekable { return self }
        let spool = SealedSpool(memoryLimit: Limits.spoolMemoryBytes)
        try forEachChunk { chunk throws(SimpleModeError) in
            try spool.put(chunk)
            return true
        }
        try spool.complete()
        return spool
    }

    /// Makes the next read start there.
    func move(to offset: UInt64) throws(SimpleModeError) {
        do throws(StreamError) { try seek(to: offset) } catch { throw SimpleModeError(error) }
    }
}

extension ByteDestination {
    /// Writes.
    func put(_ bytes: Span<UInt8>) throws(SimpleModeError) {
        do throws(StreamError) { try write(bytes) } catch { throw SimpleModeError(error) }
    }

    /// Writes all of a buffer and empties it for the next use.
    func take(_ bytes: inout [UInt8]) throws(SimpleModeError) {
        if bytes.isEmpty { return }
        try put(bytes.span)
        bytes.removeAll(keepingCapacity: true)
    }

    /// Does something that writes here, and gives up what was written if it fails.
    func orAbandon<Result>(_ body: () throws(SimpleModeError) -> Result) throws(SimpleModeError) -> Result {
        do throws(SimpleModeError) { return try body() } catch {
            abandon()
            throw error
        }
    }

    /// Makes what was written final.
    func complete() throws(SimpleModeError) {
        do throws(StreamError) { try finish() } catch { throw SimpleModeError(error) }
    }
}
