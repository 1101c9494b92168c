/**
 * Batches on disk while Kafka is away ({@link org.flowmon.ingest.spool.Spool}, {@code
 * docs/format/spool.md}).
 */
@NullMarked
package org.flowmon.ingest.spool;

import org.jspecify.annotations.NullMarked;
