/**
 * Decodes export datagrams to flows: NetFlow v5, v9 and IPFIX. Start reading at ExportDecoder;
 * docs/format/exports.md lists the decoded elements and the counters.
 */
package org.flowmon.ingest.decode;
