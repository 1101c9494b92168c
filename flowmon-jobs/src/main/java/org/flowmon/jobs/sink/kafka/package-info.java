/** Kafka as a sink, at least once: reports, alerts and the states of a site. */
@NullMarked
package org.flowmon.jobs.sink.kafka;

import org.jspecify.annotations.NullMarked;
