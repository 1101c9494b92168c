/**
 * Reads export datagrams from pcap and pcapng captures and IPFIX files and decodes them like live
 * ones.
 */
@NullMarked
package org.flowmon.ingest.file.capture;

import org.jspecify.annotations.NullMarked;
