/**
 * Seeded flows that resemble a network's, with known incidents, live and as history; start reading
 * at TrafficModel.
 */
@NullMarked
package org.flowmon.ingest.synthetic;

import org.jspecify.annotations.NullMarked;
