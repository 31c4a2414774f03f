// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The commit that this was built from: what EVIDENCE_COMMIT held when Package.swift was read. Empty without that.
const char *_Nonnull build_commit(void);
