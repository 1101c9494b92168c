/** What all inputs share: the sink of flows, the counters, the protected networks. */
@NullMarked
package org.flowmon.ingest;

import org.jspecify.annotations.NullMarked;
