/**
 * Export datagrams become flows: NetFlow v5, v9 and IPFIX. Start reading at {@link
 * org.flowmon.ingest.decode.ExportDecoder}; {@code docs/format/exports.md} says what is decoded and
 * counted.
 */
package org.flowmon.ingest.decode;
