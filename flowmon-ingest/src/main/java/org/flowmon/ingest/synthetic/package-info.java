/**
 * Seeded traffic for demos, tests and benchmarks: flows that look like a network's, with known
 * incidents hidden in them, as history ({@link org.flowmon.ingest.synthetic.HistoryGenerator}), as
 * NetFlow v5, v9 and IPFIX on the wire ({@link org.flowmon.ingest.synthetic.ExporterSimulator}),
 * and recorded datagrams sent again ({@link org.flowmon.ingest.synthetic.FlowReplay}). Start
 * reading at {@link org.flowmon.ingest.synthetic.TrafficModel}.
 */
package org.flowmon.ingest.synthetic;
