// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import VendorTypes

/// Gets results, on the main actor. Named for the vendor's `WBFaceVerifyCustomerServiceDelegate`.
@MainActor public protocol FaceVerificationDelegate: AnyObject {
    /// A verification ended.
    func faceVerificationDidFinish(with delivery: FaceDelivery)
}

extension Notification.Name {
    /// The vendor's notification of a result, `WBFaceVerifyCustomerServiceDidFinishedNotification` (iOS result
    /// document). The result is in `userInfo` under ``FaceVerificationCenter/resultKey``, what can be uploaded under
    /// ``FaceVerificationCenter/deliveryKey``.
    public static let faceVerificationDidFinish = Notification.Name(
        "WBFaceVerifyCustomerServiceDidFinishedNotification")
}

/// Delivers results as the vendor's SDK does: on the main thread, by delegate and by notification, and as a stream.
///
/// Each order is delivered once. A second result for the same order, whatever it says, is dropped: a late failure
/// must not overturn a pass, nor a late pass a failure.
@MainActor public final class FaceVerificationCenter {
    /// The key of the result in a notification's `userInfo`.
    public nonisolated static let resultKey = "faceVerifyResult"
    /// The key of the ``FaceDelivery`` there; the vendor has none.
    public nonisolated static let deliveryKey = "faceDelivery"

    /// Gets results; not kept alive.
    public weak var delegate: (any FaceVerificationDelegate)?
    private let notifications: NotificationCenter
    private var delivered: Set<OrderNumber> = []
    private var streams: [Int: AsyncStream<FaceDelivery>.Continuation] = [:]
    private var streamCount = 0

    /// A center that posts its notifications to `notifications`.
    public init(notifications: NotificationCenter = .default) {
        self.notifications = notifications
    }

    /// Delivers the result of an order, if none was delivered before: to the delegate, then to the notification's
    /// observers, then to the streams.
    ///
    /// - Parameter orderNo: the order the app began with; a result may lack its own.
    /// - Returns: whether it was delivered.
    @discardableResult
    public func deliver(_ delivery: FaceDelivery, for orderNo: OrderNumber) -> Bool {
        // Noted first: an observer that delivers again in turn must not get through.
        guard delivered.insert(orderNo).inserted else { return false }
        delegate?.faceVerificationDidFinish(with: delivery)
        notifications.post(
            name: .faceVerificationDidFinish, object: self,
            userInfo: [Self.resultKey: delivery.result, Self.deliveryKey: delivery])
        for stream in streams.values { stream.yield(delivery) }
        return true
    }

    /// The results that are delivered from now on. Each call makes a stream of its own.
    public func results() -> AsyncStream<FaceDelivery> {
        let (stream, continuation) = AsyncStream.makeStream(of: FaceDelivery.self)
        let number = streamCount
        streamCount += 1
        streams[number] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { @MainActor in self?.streams[number] = nil }
        }
        return stream
    }

    isolated deinit {
        for stream in streams.values { stream.finish() }
    }
}
