/** The job's dealings with topics of Kafka outside of Flink's sources and sinks. */
@NullMarked
package org.flowmon.jobs.topic;

import org.jspecify.annotations.NullMarked;
