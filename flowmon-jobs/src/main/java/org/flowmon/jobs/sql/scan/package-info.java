/** What the splits of an archive are asked for Flink SQL, and rows of the answers. */
@NullMarked
package org.flowmon.jobs.sql.scan;

import org.jspecify.annotations.NullMarked;
