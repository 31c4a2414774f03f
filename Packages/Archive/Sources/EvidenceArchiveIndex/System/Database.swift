// SPDX-License-Identifier: Apache-2.0
internal import CSQLite
internal import EvidenceKit

/// The bytes of a database, for connections that only read: one copy for all of them, which nobody else can change.
@safe final class DatabaseImage {
    fileprivate let bytes: UnsafeMutableRawBufferPointer
    private var count = 0

    /// - Throws: ``EvidenceError`` (`.cannotRead`) without the memory.
    init(byteCount: Int, of path: String) throws(EvidenceError) {
        guard let start = unsafe csqlite_allocate(byteCount) else {
            throw EvidenceError(.cannotRead, "\(path): no memory for its \(byteCount) bytes")
        }
        unsafe bytes = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
    }

    deinit { unsafe csqlite_free(bytes.baseAddress) }

    /// Puts the next bytes behind those before.
    func append(_ chunk: [UInt8]) {
        unsafe bytes[count..<count + chunk.count].copyBytes(from: chunk)
        count += chunk.count
    }
}

/// A connection to a database in memory: SQLite makes no file, not even a temporary one. For one thread at a time.
@safe final class Database {
    fileprivate let connection: OpaquePointer
    /// What it reads.
    private var images: [DatabaseImage] = []

    /// An empty one.
    init() throws(EvidenceError) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = unsafe sqlite3_open_v2(":memory:", &opened, flags, nil)
        guard code == SQLITE_OK, let connection = unsafe opened else {
            unsafe sqlite3_close_v2(opened)
            throw Self.failure(code)
        }
        unsafe self.connection = connection
        let isDefensive = unsafe csqlite_be_defensive(connection)
        guard isDefensive == SQLITE_OK else { throw Self.failure(isDefensive) }
        try run("PRAGMA temp_store = MEMORY")
        try run("PRAGMA cell_size_check = ON")
    }

    deinit { unsafe sqlite3_close_v2(connection) }

    /// One for reading.
    convenience init(reading image: DatabaseImage) throws(EvidenceError) {
        try self.init()
        try read(image, as: "main")
    }

    /// Lets statements name another one, too, for reading.
    func attach(_ image: DatabaseImage, as schema: String) throws(EvidenceError) {
        try run("ATTACH ':memory:' AS \(schema)")
        try read(image, as: schema)
    }

    private func read(_ image: DatabaseImage, as schema: String) throws(EvidenceError) {
        images.append(image)
        let count = unsafe Int64(image.bytes.count)
        let code = unsafe sqlite3_deserialize(
            connection, schema, image.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), count, count,
            UInt32(SQLITE_DESERIALIZE_READONLY))
        guard code == SQLITE_OK else { throw Self.failure(code) }
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
            throw Self.failure(SQLITE_NOMEM)
        }
        defer { unsafe sqlite3_free(bytes) }
        let span = unsafe Span(_unsafeStart: bytes, count: Int(count))
        return try body(span)
    }

    /// The error for a result code of SQLite.
    fileprivate static func failure(_ code: Int32) -> EvidenceError {
        let words = unsafe String(cString: sqlite3_errstr(code))
        switch code & 0xFF {
        case SQLITE_NOMEM, SQLITE_FULL, SQLITE_TOOBIG:
            return EvidenceError(.cannotWrite, "no memory for the index (SQLite: \(words))")
        // The statements are ours, and no file is read: what makes no sense, or breaks a rule, is the index.
        default: return .notAnIndex("it is damaged (SQLite: \(words))")
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
            throw Database.failure(code)
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
            guard code == SQLITE_OK else { throw Database.failure(code) }
        }
        while true {
            switch unsafe sqlite3_step(statement) {
            case SQLITE_ROW: guard try body(unsafe Row(statement: statement)) else { return }
            case SQLITE_DONE: return
            case let code: throw Database.failure(code)
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
