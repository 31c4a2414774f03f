// SPDX-License-Identifier: Apache-2.0
import COpenSSL

/// The version of OpenSSL in use, which may differ from the one built against: `3.0.19`.
package let openSSLVersion: String = unsafe String(cString: OpenSSL_version(OPENSSL_FULL_VERSION_STRING))

/// The version of OpenSSL whose headers this was built with.
package let builtOpenSSLVersion: String = OPENSSL_FULL_VERSION_STR
