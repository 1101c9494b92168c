/**
 * A bounded source of Flink over an archive: {@link org.flowmon.jobs.scan.ArchiveSource} shares its
 * segments out as splits, and what a reader makes of one is a {@link
 * org.flowmon.jobs.scan.SplitQuery}'s.
 */
@NullMarked
package org.flowmon.jobs.scan;

import org.jspecify.annotations.NullMarked;
