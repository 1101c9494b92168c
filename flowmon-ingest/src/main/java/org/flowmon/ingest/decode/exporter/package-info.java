/**
 * A decoder's state for each exporter (templates, sampling, sequence numbers, claimed losses),
 * within limits on memory and work.
 */
@NullMarked
package org.flowmon.ingest.decode.exporter;

import org.jspecify.annotations.NullMarked;
