/**
 * Seeded flows that look like a network's, with known incidents hidden in them, live and as
 * history; start reading at TrafficModel.
 */
package org.flowmon.ingest.synthetic;
