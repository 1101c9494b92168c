/**
 * A Kafka broker in this JVM or in a process of its own, for tests, experiments and the demo. It
 * listens on loopback only. The job never uses it, and its jar has neither it nor Kafka's server.
 */
@NullMarked
package org.flowmon.jobs.embedded;

import org.jspecify.annotations.NullMarked;
