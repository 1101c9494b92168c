/**
 * Queries over archives as batch jobs of Flink: {@link
 * org.flowmon.jobs.distributed.DistributedQuery}.
 */
@NullMarked
package org.flowmon.jobs.distributed;

import org.jspecify.annotations.NullMarked;
