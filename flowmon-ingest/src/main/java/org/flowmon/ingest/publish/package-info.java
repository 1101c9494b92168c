/**
 * Publishes flows as batches to Kafka ({@link org.flowmon.ingest.publish.FlowPublisher}, {@code
 * docs/format/kafka.md}) or to a callback ({@link org.flowmon.ingest.publish.BatchCollectingSink}).
 */
@NullMarked
package org.flowmon.ingest.publish;

import org.jspecify.annotations.NullMarked;
