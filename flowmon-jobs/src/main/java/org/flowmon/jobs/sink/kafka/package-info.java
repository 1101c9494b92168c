/** Kafka as a sink, at least once: reports, alerts and the states of a site. */
package org.flowmon.jobs.sink.kafka;
