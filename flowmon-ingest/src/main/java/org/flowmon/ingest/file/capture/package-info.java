/** Export datagrams out of pcap and pcapng captures and IPFIX files, decoded as from the wire. */
package org.flowmon.ingest.file.capture;
