/** The low level: runs all live queries over flows, and gives partial groups of windows. */
@NullMarked
package org.flowmon.jobs.lowlevel;

import org.jspecify.annotations.NullMarked;
