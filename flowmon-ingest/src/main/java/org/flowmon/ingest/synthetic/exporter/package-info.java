/**
 * Simulated routers, which send synthetic flows as NetFlow v5, v9 and IPFIX datagrams, or recorded
 * datagrams, over UDP at a steady rate.
 */
package org.flowmon.ingest.synthetic.exporter;
