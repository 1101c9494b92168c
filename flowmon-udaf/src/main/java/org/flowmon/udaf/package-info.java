/**
 * Queries over flows: parse, run, aggregate. Knows the flow schema, and nothing of Flink, Kafka or
 * the archive.
 */
package org.flowmon.udaf;
