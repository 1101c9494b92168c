/**
 * Export datagrams become flows: NetFlow v5, v9 and IPFIX; start reading at ExportDecoder,
 * docs/format/exports.md says what is decoded and counted.
 */
package org.flowmon.ingest.decode;
