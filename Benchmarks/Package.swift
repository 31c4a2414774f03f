// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

/// What measures the parts of the library is compiled as one of its modules, to see what no user does. SwiftPM names a
/// package by its folder.
let folder = Context.packageDirectory.split(separator: "/").dropLast().last ?? ""
let within: [SwiftSetting] = [
    .unsafeFlags(["-package-name", String(folder.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })])
]

/// Apart from the package itself: nothing of this reaches a user's build.
let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "evidence-kit", path: "..")],
    targets: [
        .executableTarget(
            name: "EvidenceBenchmark", dependencies: [.product(name: "EvidenceKit", package: "evidence-kit")],
            path: "EvidenceBenchmark", swiftSettings: within),
        .executableTarget(
            name: "SignBenchmark", dependencies: [.product(name: "EvidenceKit", package: "evidence-kit")],
            path: "SignBenchmark", exclude: ["SignBenchmark.java", "sign_benchmark.py"]),
        .executableTarget(
            name: "Oracle", dependencies: [.product(name: "EvidenceKit", package: "evidence-kit")], path: "Oracle",
            exclude: ["make_inputs.py"], swiftSettings: within),
    ],
    swiftLanguageModes: [.v6]
)
