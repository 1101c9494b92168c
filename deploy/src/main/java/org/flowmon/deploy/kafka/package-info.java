/**
 * The choice of a Kafka and the check that it answers, topics read from their beginning, and the
 * commands on the topic of flows: collect and quarantine.
 */
@NullMarked
package org.flowmon.deploy.kafka;

import org.jspecify.annotations.NullMarked;
