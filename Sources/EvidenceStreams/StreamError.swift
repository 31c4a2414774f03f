import Glibc

/// Reading or writing failed: the file, the pipe or the disk, not what is in it.
///
/// Two errors are equal when their `code` is.
public struct StreamError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of failure it is. New kinds may be added.
    public struct Code: Hashable, Sendable {
        private enum Kind { case cannotRead, cannotWrite, exists, tooLarge, spent }
        private let kind: Kind

        /// A source could not be opened or read.
        public static let cannotRead = Code(kind: .cannotRead)
        /// A destination could not be created, written, synced or published.
        public static let cannotWrite = Code(kind: .cannotWrite)
        /// There is a file under the destination's name, and replacing it was not asked for.
        public static let exists = Code(kind: .exists)
        /// A destination that was finished or abandoned was used again.
        public static let spent = Code(kind: .spent)
        /// A file that is read whole (a key, a passphrase) is longer than such a file can be.
        public static let tooLarge = Code(kind: .tooLarge)
    }

    /// The kind of failure.
    public let code: Code
    /// What was read or written: a path as the caller gave it, or a name such as `standard input`.
    public let name: String
    /// The system's error number, 0 where no system call failed.
    public let errno: Int32

    init(_ code: Code, _ name: String, errno: Int32 = 0) {
        self.code = code
        self.name = name
        self.errno = errno
    }

    /// One sentence without a full stop.
    public var description: String { description(naming: printable(name)) }

    /// The sentence with another name in the place of ``name``, for who must not show that, or not all of it.
    package func description(naming name: String) -> String {
        switch code {
        case .exists: "\(name) exists"
        case .spent: "\(name) was written already: every run needs a destination of its own"
        case .tooLarge: "\(name) is too large for what it should be"
        case .cannotRead: "cannot read \(name): \(Self.text(of: errno))"
        default: "cannot write \(name): \(Self.text(of: errno))"
        }
    }

    /// What to try, where there is something.
    public var hint: String? {
        code == .exists ? "it was not touched; give another name, or ask for it to be replaced" : nil
    }

    /// Equal by code: a test can ask "throws this kind".
    public static func == (left: StreamError, right: StreamError) -> Bool { left.code == right.code }

    private static func text(of number: Int32) -> String {
        unsafe String(cString: strerror(number))
    }
}

/// A name or a word as it may be shown on a terminal: what steers the terminal, or turns the text around, is replaced.
package func printable(_ name: String) -> String {
    let hidden: Set<Unicode.GeneralCategory> = [
        .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned,
    ]
    let scalars = name.unicodeScalars.map { hidden.contains($0.properties.generalCategory) ? "?" : $0 }
    return String(String.UnicodeScalarView(scalars))
}
