// SPDX-License-Identifier: Apache-2.0
/// Determines the format of bytes, in pieces of any size and constant memory.
package struct MediaInspector: Sendable {
    private enum Kind {
        case undecided, jpeg(JPEGWalk), png(PNGWalk), mp4(MP4Walk), unknown
    }

    private var kind = Kind.undecided
    /// The first bytes, until there are enough to decide.
    private var head: [UInt8] = []
    private var fault: MediaFault?
    /// How many bytes have been read.
    package private(set) var byteCount: UInt64 = 0

    /// Whether a movie without a file type box is one.
    private let takesOldMovies: Bool

    /// An inspector at the start of the bytes.
    package init() { self.init(takingOldMovies: false) }

    /// An inspector at the start of the bytes.
    ///
    /// - Parameter takesOldMovies: whether a QuickTime movie without a file type box counts as a relative of MP4.
    package init(takingOldMovies takesOldMovies: Bool) { self.takesOldMovies = takesOldMovies }

    /// Takes the next bytes.
    package mutating func append(_ bytes: Span<UInt8>) {
        byteCount += UInt64(bytes.count)
        var start = 0
        if case .undecided = kind {
            while head.count < MediaFormat.headByteCount && start < bytes.count {
                head.append(bytes[start])
                start += 1
            }
            guard head.count == MediaFormat.headByteCount else { return }
            decide()
        }
        walk(bytes.extracting(start...))
    }

    /// The result. No more bytes may follow.
    package mutating func finish() -> MediaContent {
        if case .undecided = kind { decide() }
        if byteCount == 0 { return .empty }
        if let fault { return .damaged(fault) }
        do throws(MediaFault) {
            switch kind {
            case .jpeg(let walk): return .jpeg(try walk.finish())
            case .png(let walk): return .png(try walk.finish())
            case .mp4(let walk): return .mp4(try walk.finish())
            case .undecided, .unknown: return .unknown
            }
        } catch { return .damaged(error) }
    }

    private mutating func decide() {
        kind =
            switch MediaFormat(head: head) {
            case .jpeg: .jpeg(JPEGWalk())
            case .png: .png(PNGWalk())
            case .mp4: .mp4(MP4Walk())
            case nil: takesOldMovies && MediaFormat.isOldMovie(head: head) ? .mp4(MP4Walk(isOldMovie: true)) : .unknown
            }
        let head = head
        walk(head.span)
    }

    private mutating func walk(_ bytes: Span<UInt8>) {
        guard fault == nil else { return }
        do throws(MediaFault) {
            switch kind {
            case .jpeg(var walk):
                try walk.append(bytes)
                kind = .jpeg(walk)
            case .png(var walk):
                try walk.append(bytes)
                kind = .png(walk)
            case .mp4(var walk):
                try walk.append(bytes)
                kind = .mp4(walk)
            case .undecided, .unknown: break
            }
        } catch { fault = error }
    }
}
