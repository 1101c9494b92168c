/**
 * Background work on an archive, and its checks: merging small segments, rewriting them, verifying
 * every byte.
 */
@NullMarked
package org.flowmon.archive.maintenance;

import org.jspecify.annotations.NullMarked;
