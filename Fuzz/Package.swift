// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

/// The program that feeds the fuzz targets from libFuzzer. Apart from the package itself, so that nothing of it reaches
/// a user's build; the targets themselves are in the package, where tests replay the corpus. Built by `scripts/fuzz`.
let package = Package(
    name: "fuzz",
    dependencies: [.package(name: "evidence-kit", path: "..")],
    targets: [
        .executableTarget(
            name: "FuzzRunner", dependencies: [.product(name: "FuzzTargets", package: "evidence-kit")])
    ],
    swiftLanguageModes: [.v6]
)
