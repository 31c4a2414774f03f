// SPDX-License-Identifier: Apache-2.0
// Verifications of a front-end result in a second, on one core: forms, order, digest, comparison, and the search for
// other readings. sign_benchmark.py and SignBenchmark.java do the same without that search.
import EvidenceKit

let ticketText = "duSz9ptwyW1Xn7r6gYItxz3feMdJ8Na5x7JZuoxurE7RcI5TdwCE4KT2eEeNNDoe"
let ticket = try Ticket(.sign, SecretBytes(copying: Array(ticketText.utf8).span))
let orders = (0..<1_000).map { "test\(1_480_921_551_481 + $0)" }
let signs = try orders.map { order in
    try SignRecipe.frontEndResult(appId: "appId001", orderNo: order, code: "0").sign(with: ticket).description
}

func verifyAll() throws -> Int {
    var valid = 0
    for (order, sign) in zip(orders, signs) {
        let input = SignRecipe.frontEndResult(appId: "appId001", orderNo: order, code: "0")
        if try input.verify(sign, with: [ticket]).isValid { valid += 1 }
    }
    return valid
}

var best = Duration.seconds(1_000)
for _ in 0..<200 {
    let start = ContinuousClock.now
    guard try verifyAll() == orders.count else { fatalError("a sign was not valid") }
    best = min(best, start.duration(to: .now))
}
print("swift\t\(Int(Double(orders.count) / (best / .seconds(1))))")
