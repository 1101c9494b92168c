/**
 * What readers and writers of an archive still need: files that hold it, and the lock of
 * maintenance.
 */
@NullMarked
package org.flowmon.archive.lease;

import org.jspecify.annotations.NullMarked;
