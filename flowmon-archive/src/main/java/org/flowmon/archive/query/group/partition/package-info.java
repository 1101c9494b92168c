/** Rows of a thread cut by ranges of their packed keys, in large pooled arrays. */
@NullMarked
package org.flowmon.archive.query.group.partition;

import org.jspecify.annotations.NullMarked;
