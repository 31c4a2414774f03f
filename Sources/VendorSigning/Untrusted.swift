// SPDX-License-Identifier: Apache-2.0
/// A value that came with something that was verified, but is not covered by it: anyone on the way could have changed
/// it.
///
/// Its one door has a long name so that it is seen in a review.
public struct Untrusted<Value: Sendable>: Sendable {
    /// The value, as it came.
    public let unverifiedValue: Value

    init(_ value: Value) { unverifiedValue = value }
}

extension Untrusted: Equatable where Value: Equatable {}
extension Untrusted: Hashable where Value: Hashable {}
