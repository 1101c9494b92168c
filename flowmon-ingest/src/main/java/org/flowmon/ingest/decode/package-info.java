/**
 * Decodes export datagrams to flows: NetFlow v5, v9, IPFIX and sFlow v5. Start reading at
 * ExportDecoder; docs/format/exports.md lists the decoded elements and the counters.
 */
@NullMarked
package org.flowmon.ingest.decode;

import org.jspecify.annotations.NullMarked;
