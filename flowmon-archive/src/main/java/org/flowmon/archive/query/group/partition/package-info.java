/** Rows of a thread cut by ranges of their packed keys, in large arrays that are kept for reuse. */
package org.flowmon.archive.query.group.partition;
