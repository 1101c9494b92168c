/**
 * The choice of a Kafka and the check that it answers, topics read from their beginning, and the
 * commands on the topic of flows: collect and quarantine.
 */
package org.flowmon.deploy.kafka;
