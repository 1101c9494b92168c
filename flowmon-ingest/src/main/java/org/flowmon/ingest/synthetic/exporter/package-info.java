/**
 * Simulated routers: synthetic flows as NetFlow v5, v9 and IPFIX datagrams, and recorded datagrams,
 * sent over UDP at a steady rate.
 */
package org.flowmon.ingest.synthetic.exporter;
