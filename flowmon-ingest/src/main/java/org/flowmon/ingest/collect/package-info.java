/**
 * Exports are received over UDP ({@link org.flowmon.ingest.collect.UdpCollector}), and IPFIX over
 * TCP and TLS ({@link org.flowmon.ingest.collect.TcpCollector}).
 */
@NullMarked
package org.flowmon.ingest.collect;

import org.jspecify.annotations.NullMarked;
