/**
 * The services that flowmon needs, started inside one JVM (PostgreSQL: as its child) for the demo,
 * for tests and for experiments: a Flink cluster, a PostgreSQL server. The Kafka broker is {@code
 * org.flowmon.jobs.embedded}. All listen on loopback only.
 */
@NullMarked
package org.flowmon.deploy.embedded;

import org.jspecify.annotations.NullMarked;
