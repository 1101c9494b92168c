/**
 * Reads export datagrams from pcap and pcapng captures and IPFIX files and decodes them like live
 * ones.
 */
package org.flowmon.ingest.file.capture;
