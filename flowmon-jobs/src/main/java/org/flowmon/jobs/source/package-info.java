/** The topic of flows as a source: positions, producers and their sequences, watermarks. */
@NullMarked
package org.flowmon.jobs.source;

import org.jspecify.annotations.NullMarked;
