/**
 * The services that flowmon needs, started inside one JVM (PostgreSQL: as its child) for the demo,
 * for tests and for experiments: a Kafka broker, a Flink cluster, a PostgreSQL server. All listen
 * on loopback only.
 */
package org.flowmon.deploy.embedded;
