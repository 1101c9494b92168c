/** Archives in S3 and in the file systems of Flink. */
@NullMarked
package org.flowmon.jobs.store;

import org.jspecify.annotations.NullMarked;
