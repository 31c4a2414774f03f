// SPDX-License-Identifier: Apache-2.0
/// Writes JSON without white space into a buffer, with names in the given order.
package struct JSONWriter {
    /// What was written and not yet removed.
    package var json: [UInt8] = []
    private var needsComma = false

    /// A writer at the start of a document.
    package init() {}

    /// Begins an object: the document itself, the member of a name, or the next element of an array.
    package mutating func beginObject(_ name: String? = nil) {
        if let name { self.name(name) } else if needsComma { json.append(UInt8(ascii: ",")) }
        json.append(UInt8(ascii: "{"))
        needsComma = false
    }

    /// Begins an array of objects: the member of a name.
    package mutating func beginArray(_ name: String) {
        self.name(name)
        json.append(UInt8(ascii: "["))
        needsComma = false
    }

    /// Ends that array.
    package mutating func endArray() {
        json.append(UInt8(ascii: "]"))
        needsComma = true
    }

    /// Ends the object that was begun last.
    package mutating func endObject() {
        json.append(UInt8(ascii: "}"))
        needsComma = true
    }

    /// Writes a truth value.
    package mutating func bool(_ name: String, _ value: Bool) {
        self.name(name)
        json += Array((value ? "true" : "false").utf8)
        needsComma = true
    }

    /// Writes a string; nothing for `nil`.
    package mutating func string(_ name: String, _ value: String?) {
        guard let value else { return }
        self.name(name)
        appendJSONString(value, to: &json)
        needsComma = true
    }

    /// Begins a string whose characters the caller appends to ``json``, escaped.
    package mutating func beginString(_ name: String) {
        self.name(name)
        json.append(UInt8(ascii: "\""))
    }

    /// Ends that string.
    package mutating func endString() {
        json.append(UInt8(ascii: "\""))
        needsComma = true
    }

    private mutating func name(_ name: String) {
        if needsComma { json.append(UInt8(ascii: ",")) }
        appendJSONString(name, to: &json)
        json.append(UInt8(ascii: ":"))
    }
}
