/** Messages that the job refuses: their topic, and how they get there. */
@NullMarked
package org.flowmon.jobs.quarantine;

import org.jspecify.annotations.NullMarked;
