/**
 * Files with flows: Zeek's connection logs, captures of exports, IPFIX files, flow batches. Start
 * reading at {@link org.flowmon.ingest.file.FlowFiles}; {@code docs/format/files.md} says what
 * becomes of each field and of what cannot be read.
 */
package org.flowmon.ingest.file;
