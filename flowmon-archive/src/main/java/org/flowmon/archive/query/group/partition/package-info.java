/** Rows of a thread cut by ranges of their packed keys, in large pooled arrays. */
package org.flowmon.archive.query.group.partition;
