package org.flowmon.jobs.window;

import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.jspecify.annotations.Nullable;

/**
 * A final window that publishes states. {@code windowEnd} is in microseconds; {@code counts} are
 * its arrivals; {@code bytes} all its groups, for {@link org.flowmon.udaf.window.WindowPart#open},
 * null if more than the analysis may hold.
 */
@SuppressWarnings("ArrayRecordComponent") // handed on and never compared
record PublishedWindow(
    LiveQuery live, long windowEnd, ArrivalCounts counts, byte @Nullable [] bytes) {}
