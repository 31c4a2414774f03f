// SPDX-License-Identifier: Apache-2.0
#include "CCommit.h"

const char *build_commit(void) { return EVIDENCE_COMMIT; }
