/** Export datagrams are received over UDP ({@link org.flowmon.ingest.collect.UdpCollector}). */
package org.flowmon.ingest.collect;
