/**
 * Simulated routers, which send synthetic flows as NetFlow v5, v9 and IPFIX datagrams over UDP at a
 * steady rate.
 */
@NullMarked
package org.flowmon.ingest.synthetic.exporter;

import org.jspecify.annotations.NullMarked;
