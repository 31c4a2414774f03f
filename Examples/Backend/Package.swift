// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let package = Package(
    name: "backend",
    platforms: [.macOS(.v26)],
    dependencies: [
        // In a package of your own: .package(url: "https://…/evidence-kit", from: "…")
        .package(name: "evidence-kit", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "Backend", dependencies: [.product(name: "EvidenceKit", package: "evidence-kit")])
    ]
)
