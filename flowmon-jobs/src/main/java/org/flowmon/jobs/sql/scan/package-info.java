/** The scan of an archive by a Flink job: a source with one or more segments a split. */
@NullMarked
package org.flowmon.jobs.sql.scan;

import org.jspecify.annotations.NullMarked;
