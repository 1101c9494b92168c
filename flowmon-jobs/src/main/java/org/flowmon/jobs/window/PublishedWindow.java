package org.flowmon.jobs.window;

import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.lowlevel.LiveQuery;

/**
 * A final window of an analysis that publishes states.
 *
 * @param windowEnd in microseconds
 * @param counts arrivals within the window
 * @param bytes all of its groups, for {@link org.flowmon.udaf.window.WindowPart#open}; null if
 *     there were more than the analysis may hold
 */
@SuppressWarnings("ArrayRecordComponent") // handed on and never compared
record PublishedWindow(LiveQuery live, long windowEnd, ArrivalCounts counts, byte[] bytes) {}
