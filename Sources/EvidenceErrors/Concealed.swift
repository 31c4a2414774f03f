// SPDX-License-Identifier: Apache-2.0

/// What must not end in a log: printed, it says what it is, and `dump` shows nothing of what it stores.
public protocol Concealed: CustomStringConvertible, CustomReflectable {}

extension Concealed {
    /// Empty: `dump` would show stored properties.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
