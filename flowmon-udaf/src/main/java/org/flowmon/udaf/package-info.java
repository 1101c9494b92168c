/**
 * Queries over flows: parse, run, aggregate. Knows the flow schema, and nothing of Flink, Kafka or
 * the archive.
 */
@NullMarked
package org.flowmon.udaf;

import org.jspecify.annotations.NullMarked;
