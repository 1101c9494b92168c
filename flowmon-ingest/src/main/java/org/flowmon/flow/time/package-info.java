/** The times of flows, and how they are written. */
@NullMarked
package org.flowmon.flow.time;

import org.jspecify.annotations.NullMarked;
