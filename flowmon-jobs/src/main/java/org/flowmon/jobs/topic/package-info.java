/** The job's dealings with topics of Kafka outside of Flink's sources and sinks. */
package org.flowmon.jobs.topic;
