// SPDX-License-Identifier: Apache-2.0

/// The version of the package and of the command.
package let evidenceKitVersion = "1.0.0-rc.1"
