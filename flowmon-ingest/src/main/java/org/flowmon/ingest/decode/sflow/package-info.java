/**
 * Decodes sFlow version 5: a flow for each sampled packet, and counters of interfaces. Start
 * reading at SflowDecoder; docs/format/exports.md says what becomes of each structure.
 */
@NullMarked
package org.flowmon.ingest.decode.sflow;

import org.jspecify.annotations.NullMarked;
