// SPDX-License-Identifier: Apache-2.0
internal import CSQLite
internal import EvidenceKit

/// A connection to a database: in memory, or a file that nobody changes. For one thread at a time.
@safe final class Database {
    fileprivate let connection: OpaquePointer
    /// What messages call it.
    fileprivate let name: String

    /// An empty one, in memory alone: SQLite makes no file, not even a temporary one.
    convenience init() throws(EvidenceError) {
        try self.init(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, name: "the index in memory")
    }

    /// A file, for reading. It is taken as it is: no locks, no journal.
    convenience init(readingFileAt path: String) throws(EvidenceError) {
        try self.init(Self.uri(path), SQLITE_OPEN_READONLY, name: path)
    }

    private init(_ path: String, _ flags: Int32, name: String) throws(EvidenceError) {
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let connection = unsafe opened else {
            unsafe sqlite3_close_v2(opened)
            throw Self.failure(code, name)
        }
        unsafe self.connection = connection
        self.name = name
        let isDefensive = unsafe csqlite_be_defensive(connection)
        guard isDefensive == SQLITE_OK else { throw Self.failure(isDefensive, name) }
        try run("PRAGMA temp_store = MEMORY")
        try run("PRAGMA cell_size_check = ON")
    }

    deinit { unsafe sqlite3_close_v2(connection) }

    /// A path as SQLite takes it with options behind it. Everything is escaped that could be taken for one.
    private static func uri(_ path: String) -> String {
        var text = "file:"
        for byte in path.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: text += String(UnicodeScalar(byte))
            default: text += (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
            }
        }
        return text + "?immutable=1"
    }

    /// Lets statements name a file, too, for reading.
    func attach(fileAt path: String, as schema: String) throws(EvidenceError) {
        try run("ATTACH ? AS \(schema)", .text(Self.uri(path)))
    }

    // MARK: - Statements

    /// A statement, to be run any number of times.
    func prepare(_ sql: String) throws(EvidenceError) -> Statement { try Statement(sql, self) }

    /// Runs one statement that gives nothing.
    func run(_ sql: String, _ values: SQLValue...) throws(EvidenceError) {
        try prepare(sql).forEachRow(values) { _ in true }
    }

    /// The first value of the first row, a number.
    func integer(_ sql: String, _ values: SQLValue...) throws(EvidenceError) -> Int64? {
        var found: Int64?
        try prepare(sql).forEachRow(values) { row in
            found = row.integer(0)
            return false
        }
        return found
    }

    /// The main database as a file would have it.
    func withSerialized<Result>(
        _ body: (Span<UInt8>) throws(EvidenceError) -> Result
    ) throws(EvidenceError) -> Result {
        var count: Int64 = 0
        guard let bytes = unsafe sqlite3_serialize(connection, "main", &count, 0) else {
            throw Self.failure(SQLITE_NOMEM, name)
        }
        defer { unsafe sqlite3_free(bytes) }
        let span = unsafe Span(_unsafeStart: bytes, count: Int(count))
        return try body(span)
    }

    /// The error for a result code of SQLite.
    fileprivate static func failure(_ code: Int32, _ name: String) -> EvidenceError {
        let words = unsafe String(cString: sqlite3_errstr(code))
        switch code & 0xFF {
        // The statements are ours: where one of them makes no sense, or meets a row that breaks the rules of its table,
        // it is the file.
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH:
            return .notAnIndex("it is damaged (SQLite: \(words))")
        case SQLITE_NOMEM, SQLITE_FULL, SQLITE_TOOBIG:
            return EvidenceError(.cannotWrite, "\(name): no memory or disk space (SQLite: \(words))")
        default: return EvidenceError(.cannotRead, "cannot read \(name) (SQLite: \(words))")
        }
    }
}

/// A value for a statement.
enum SQLValue {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    init(_ number: Int?) { self = number.map { .integer(Int64($0)) } ?? .null }
}

/// A prepared statement.
@safe final class Statement {
    private let statement: OpaquePointer
    /// The connection must not go first.
    private let database: Database

    fileprivate init(_ sql: String, _ database: Database) throws(EvidenceError) {
        var prepared: OpaquePointer?
        let code = unsafe sqlite3_prepare_v2(database.connection, sql, -1, &prepared, nil)
        guard code == SQLITE_OK, let statement = unsafe prepared else {
            throw Database.failure(code, database.name)
        }
        unsafe self.statement = statement
        self.database = database
    }

    deinit { unsafe sqlite3_finalize(statement) }

    func run(_ values: SQLValue...) throws(EvidenceError) { try forEachRow(values) { _ in true } }

    /// Runs it and hands over each row, which must not be kept, until the body has had enough.
    func forEachRow(
        _ values: [SQLValue], _ body: (Row) throws(EvidenceError) -> Bool
    ) throws(EvidenceError) {
        defer { unsafe sqlite3_reset(statement) }
        for (index, value) in values.enumerated() {
            let code = bind(value, Int32(index + 1))
            guard code == SQLITE_OK else { throw Database.failure(code, database.name) }
        }
        while true {
            switch unsafe sqlite3_step(statement) {
            case SQLITE_ROW: guard try body(unsafe Row(statement: statement)) else { return }
            case SQLITE_DONE: return
            case let code: throw Database.failure(code, database.name)
            }
        }
    }

    private func bind(_ value: SQLValue, _ index: Int32) -> Int32 {
        switch value {
        case .null: unsafe sqlite3_bind_null(statement, index)
        case .integer(let number): unsafe sqlite3_bind_int64(statement, index, number)
        case .text(let text): unsafe csqlite_bind_text(statement, index, text)
        case .blob(let bytes):
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe csqlite_bind_blob(statement, index, bytes.baseAddress, Int32(bytes.count))
            }
        }
    }
}

/// A row while a statement stands at it.
@safe struct Row {
    private let statement: OpaquePointer

    fileprivate init(statement: OpaquePointer) { unsafe self.statement = statement }

    private func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(statement, column) == SQLITE_NULL }

    func integer(_ column: Int32) -> Int64? {
        isNull(column) ? nil : unsafe sqlite3_column_int64(statement, column)
    }

    func blob(_ column: Int32) -> [UInt8] {
        let count = Int(unsafe sqlite3_column_bytes(statement, column))
        guard count > 0, let bytes = unsafe sqlite3_column_blob(statement, column) else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    func text(_ column: Int32) -> String { String(decoding: blob(column), as: UTF8.self) }
}
