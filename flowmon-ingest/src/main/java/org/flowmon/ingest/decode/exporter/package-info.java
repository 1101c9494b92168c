/**
 * What a decoder remembers of each exporter (templates, sampling, sequence numbers, claimed
 * losses), within the limits on memory and work.
 */
package org.flowmon.ingest.decode.exporter;
