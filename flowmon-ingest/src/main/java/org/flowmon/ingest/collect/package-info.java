/** Export datagrams are received over UDP ({@link org.flowmon.ingest.collect.UdpCollector}). */
@NullMarked
package org.flowmon.ingest.collect;

import org.jspecify.annotations.NullMarked;
