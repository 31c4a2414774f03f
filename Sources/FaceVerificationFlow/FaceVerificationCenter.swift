// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import VendorTypes

/// Receives results on the main actor. Named after the vendor's `WBFaceVerifyCustomerServiceDelegate`.
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
    /// The key of the ``FaceDelivery`` there, which is our own addition.
    public nonisolated static let deliveryKey = "faceDelivery"

    /// Receives results; held weakly.
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
    /// - Parameters:
    ///   - delivery: what is delivered.
    ///   - orderNo: the order that the app started; a result may lack its own.
    /// - Returns: whether it was delivered.
    @discardableResult
    public func deliver(_ delivery: FaceDelivery, for orderNo: OrderNumber) -> Bool {
        // Recorded first, so that an observer that delivers again has no effect.
        guard delivered.insert(orderNo).inserted else { return false }
        delegate?.faceVerificationDidFinish(with: delivery)
        notifications.post(
            name: .faceVerificationDidFinish, object: self,
            userInfo: [Self.resultKey: delivery.result, Self.deliveryKey: delivery])
        for stream in streams.values { stream.yield(delivery) }
        return true
    }

    /// The results delivered from now on. Each call makes a new stream.
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
