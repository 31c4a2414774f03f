// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

/// Apart from the package itself: nothing of this reaches a user's build.
let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "evidence-kit", path: "..")],
    targets: [
        .executableTarget(
            name: "EvidenceBenchmark", dependencies: [.product(name: "EvidenceKit", package: "evidence-kit")],
            path: "EvidenceBenchmark"),
        .executableTarget(
            name: "SignBenchmark", dependencies: [.product(name: "EvidenceKit", package: "evidence-kit")],
            path: "SignBenchmark", exclude: ["SignBenchmark.java", "sign_benchmark.py"]),
        .executableTarget(
            name: "Oracle", dependencies: [.product(name: "EvidenceKit", package: "evidence-kit")], path: "Oracle",
            exclude: ["make_inputs.py"]),
    ],
    swiftLanguageModes: [.v6]
)
