/**
 * Makes flows of captured packets, as an exporter does. Start reading at FlowMeter;
 * docs/format/files.md says when a flow ends.
 */
@NullMarked
package org.flowmon.ingest.meter;

import org.jspecify.annotations.NullMarked;
